"""A fast MCP server on stdio with one tool, for many calls a second."""

import json
import sys

TOOLS = [{"name": "echo", "description": "Says it back.", "annotations": {"readOnlyHint": True},
          "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}}}]


def answer(message):
    method = message["method"]
    if method == "tools/call":
        word = (message["params"].get("arguments") or {}).get("word", "")
        return {"content": [{"type": "text", "text": word}]}
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"}}
    return {"tools": TOOLS} if method == "tools/list" else {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": answer(message)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()
