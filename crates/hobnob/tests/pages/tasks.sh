# Tasks that the page knows by name; none of them is first in the list of those that are ready.
for shown in task_k3v9x0q2ab task_p5c7r2m9xe task_w1n8b4j6tq task_a task_b; do
    shown_as "$shown" "$(hobnob tasks add --priority low "Something for $shown" | grep -o 'task_[0-9a-z]*' | head -n 1)"
done
hobnob tasks add 'Something else' > "$BIN/said"
USER=ann
