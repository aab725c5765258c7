# Servers, files and records that the page names.
for name in github payments production notes shots; do
    server "$name-server" "use_$name" list_all refund
    hobnob add "$name" -- "$name-server"
done
server notes-server read_note
hobnob add everything --allow -- npx @modelcontextprotocol/server-everything
server db-server query
mkdir tools && cp "$BIN/db-server" tools
export DSN=db://roses TICKETS_TOKEN=roses
echo '{"command": "uvx", "args": ["mcp-server-time"]}' > entry.json
printf '[groups]\nops = ["token:ann"]\n' | settings
start_models
granted_log
hobnob enable shell
hobnob grant shell --in . --sandbox any --as-root -- cargo build
hobnob call arbor_tree_create name=main content='roses and lavender' > "$BIN/said"
shown_as task_k3v9x0q2ab "$(hobnob tasks add 'Design the format' | grep -o 'task_[0-9a-z]*' | head -n 1)"

# The result of this tool never changes, so only its first counts.
shown_as '--count 3' '--count 1'

# What the page leaves out: the same name is added, removed and used more than once.
before() {
    case "$*" in
        'add-json time'*) command hobnob remove time ;;
        'deny files --principal token:ci') command hobnob token create ci ;;
        'deny payments/refund --future') command hobnob remove payments ;;
        'logs github') command hobnob add github -- github-server && command hobnob call --yes github/refund ;;
        questions)
            ask_owner
            question 482913 mcp__production__refund
            question 482914 mcp__production__list_all
            ;;
        'stop --all') start_hub ;;
        doctor) command hobnob remove tickets ;;
        'watch get_current_time'*) command hobnob allow time/get_current_time ;;
        'restore hobnob-backup.db') mv ~/.local/share/hobnob "$BIN/old" ;;
        *) return ;;
    esac > "$BIN/said" 2>&1
}
