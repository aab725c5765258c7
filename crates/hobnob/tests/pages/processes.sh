hobnob add files -- npx @modelcontextprotocol/server-filesystem
hobnob doctor > "$BIN/said"
