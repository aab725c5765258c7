# The node that the page names is the second of its tree.
hobnob() {
    node=$(command hobnob trees render main 2> "$BIN/said" | grep -o 'node_[0-9a-z]*' | sed -n 2p)
    command hobnob "${@/node_k3v9x0q2abk3v9x0/$node}"
}
