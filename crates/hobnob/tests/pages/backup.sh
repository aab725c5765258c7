# A store to back up, which is gone before it is restored, and damaged at the end.
store=~/.local/share/hobnob
hobnob memory capture 'Roses are red' > "$BIN/said"
before() {
    case "$*" in
        "restore $HOME/backups/hobnob.db") mv "$store" "$store.gone" ;;
    esac
}
