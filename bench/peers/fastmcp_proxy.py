"""fastmcp as a gateway over HTTP: python fastmcp_proxy.py PORT MCP_JSON"""

import json
import sys

from fastmcp.server import create_proxy

port, servers = sys.argv[1:]
with open(servers, encoding="utf-8") as file:
    gateway = create_proxy(json.load(file))
gateway.run(
    transport="http",
    host="127.0.0.1",
    port=int(port),
    path="/mcp",
    show_banner=False,
    log_level="error",
)
