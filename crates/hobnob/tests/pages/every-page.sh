# What every page of the book takes for granted: folders, a repository with a commit, and package
# runners that start servers of these tests. `doc_pages.rs` runs it in the shell of each page.

# From now on, the second word stands for the first in the commands of the page.
shown_as() { printf '%s\t%s\n' "$1" "$2" >> "$NAMES"; }

# A program that is a server with these tools, with resources, and with what OFFERS says.
server() (
    name=$1
    shift
    for tool; do printf '{"name": "%s", "inputSchema": {"type": "object"}}\n' "$tool"; done |
        sed '$!s/$/,/; 1s/^/[/; $s/$/]/' > "$BIN/$name.json"
    printf '#!/bin/sh\necho ready >&2\nexec python3 "%s/listed.py" "%s/%s.json" --resources %s\n' "$UPSTREAMS" "$BIN" "$name" "$OFFERS" > "$BIN/$name"
    chmod +x "$BIN/$name"
)

# A program that does what its standard input says.
program() { { echo '#!/bin/sh'; cat; } > "$BIN/$1" && chmod +x "$BIN/$1"; }

server mcp-server-time get_current_time convert_time
OFFERS=--prompts server server-everything echo get-sum
server server-filesystem read_file list_directory write_file edit_file
for runner in npx uvx; do
    program "$runner" << 'EOF'
[ "$1" = -y ] && shift
exec "${1##*/}"
EOF
done

# Clients and agents: the server that one is told of is started at once, and ended.
for agent in claude codex; do
    program "$agent" << 'EOF'
while [ $# != 0 ] && [ "$1" != -- ]; do shift; done
[ $# = 0 ] && exit
shift
exec "$@" < /dev/null
EOF
done
for quiet in cargo systemctl; do program "$quiet" < /dev/null; done

# Settings are added to those that are there.
settings() { mkdir -p ~/.config/hobnob && cat >> ~/.config/hobnob/config.toml; }

# Starts a hub beside the page, and waits until it listens.
start_hub() {
    rm -f "$BIN/hub"
    mkfifo "$BIN/hub"
    command hobnob serve --http 127.0.0.1:0 > "$BIN/hub" 2>&1 &
    exec 7< "$BIN/hub"
    while read -r line <&7; do
        case $line in
            *listening*) HUB=${line#*http://} && HUB=${HUB%%/*} && break ;;
        esac
    done
    cat <&7 > "$BIN/hub.log" &
    # A hub that ended says why in its last line.
    [ -n "$HUB" ] || { echo "$line"; return 1; }
}

# A hub whose owner is asked about the tools of this server, and members that call one of them.
ask_owner() {
    printf '[listener]\nmode = "token"\npublic_url = "http://127.0.0.1"\n' | settings
    token=$(hobnob token create ann 2> "$BIN/said" | grep -o 'hob_[A-Za-z0-9_-]*')
    start_hub
}

# A member calls a tool, which waits for the owner: this number stands for the question's.
question() {
    curl --silent "http://$HUB/mcp" -H "Authorization: Bearer $token" \
        -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
        -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H "Mcp-Name: $2" \
        -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"'"$2"'","arguments":{},
             "_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                      "io.modelcontextprotocol/clientCapabilities":{}}}}' > "$BIN/answer"
    shown_as "$1" "$(grep -o 'question [0-9]*' "$BIN/answer" | head -n 1 | cut -d ' ' -f 2)"
}

# A granted log with the name of a user, for which callers see a token.
granted_log() {
    mkdir ~/nginx
    echo 'Invalid user bob' > ~/nginx/access.log
    hobnob enable logs --read-only
    hobnob grant logs ~/nginx
    hobnob call logs_query log=access.log > "$BIN/answer"
    shown_as USER-GHJKLMNPQRST "$(grep -o 'USER-[A-Z0-9]*' "$BIN/answer" | head -n 1)"
}

# A provider of models, which is the default of chats.
start_models() {
    mkfifo "$BIN/models"
    python3 "$UPSTREAMS/models.py" > "$BIN/models" &
    read -r port < "$BIN/models"
    printf '[models]\ndefault = "test/m"\n[providers.test]\ndialect = "ollama"\nurl = "http://127.0.0.1:%s"\n' "$port" | settings
}

# What happens before a command of these words; pages say something else.
before() { :; }
hobnob() {
    before "$@" < /dev/tty
    command hobnob "$@"
}

# The editor changes nothing, and pages of the manual are not shown a screen at a time. `man` looks for
# them beside the folder of programs.
export EDITOR=true MANPAGER=cat
mkdir -p ~/.local/bin
PATH=~/.local/bin:$PATH
command -v man > "$BIN/said" || program man < /dev/null

mkdir -p ~/shop ~/scratch
git config --global user.name Ann
git config --global user.email ann@example.com
git config --global init.defaultBranch main
git init --quiet
printf 'Sells roses.\n' > README.md
git add README.md
git commit --quiet --message 'Begin'

# The first chat in a folder asks about its files, which has tests of its own.
mkdir -p ~/.local/state/hobnob
pwd -P > ~/.local/state/hobnob/chat-folders
