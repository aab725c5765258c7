# A call of somebody else that waits for the owner, and a server that has changed.
hobnob add files -- npx @modelcontextprotocol/server-filesystem
hobnob add production -- uvx mcp-server-time
hobnob tools > "$BIN/said"
hobnob ask production --owner
server server-filesystem read_file move_file
ask_owner
question 482913 mcp__production__convert_time
