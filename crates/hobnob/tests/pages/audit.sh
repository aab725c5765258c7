# Something to show, and an end of the log that somebody has written down.
hobnob call health_check > "$BIN/said"
shown_as '9b1d…' "$(hobnob audit verify | grep -o '[0-9a-f]\{64\}' | head -n 1)"
