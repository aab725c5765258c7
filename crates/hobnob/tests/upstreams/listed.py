"""An MCP server on stdio whose tools are in a file, which a test may change at any time.

With `--shuffle` it writes every set of its schemas in another order each time, as programs do that
keep them in hash tables. Its tool `refresh` tells the client that the list has changed.
"""

import json
import random
import sys

TOOLS = sys.argv[1]
SHUFFLE = "--shuffle" in sys.argv
REFRESH = {"name": "refresh", "inputSchema": {"type": "object"}}


def shuffled(value, key=None):
    if isinstance(value, dict):
        items = [(name, shuffled(inside, name)) for name, inside in value.items()]
        random.shuffle(items)
        return dict(items)
    if isinstance(value, list):
        items = [shuffled(inside) for inside in value]
        if key in ("required", "enum", "type", "anyOf", "default"):
            random.shuffle(items)
        return items
    if key == "default" and isinstance(value, str) and "," in value:
        words = value.split(",")
        random.shuffle(words)
        return ",".join(words)
    return value


def tools():
    with open(TOOLS, encoding="utf-8") as file:
        listed = [REFRESH] + json.load(file)
    return shuffled(listed) if SHUFFLE else listed


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        about = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "listed", "version": "1"}}
        send({"id": number, "result": {**about, "capabilities": {"tools": {"listChanged": True}}}})
    elif method == "tools/list":
        send({"id": number, "result": {"tools": tools()}})
    elif method == "tools/call":
        name = message["params"]["name"]
        send({"id": number, "result": {"content": [{"type": "text", "text": "ran " + name}]}})
        if name == "refresh":
            send({"method": "notifications/tools/list_changed"})
    elif method == "ping":
        send({"id": number, "result": {}})
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})
