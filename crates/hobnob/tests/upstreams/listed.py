"""An MCP server on stdio whose tools are in a file, which a test may change at any time.

With `--shuffle` it writes every set of its schemas in another order each time, as programs do that
keep them in hash tables. Its tool `refresh` tells the client that the list has changed. With
`--resources` it also has resources, at any address, and with `--prompts` a prompt.
"""

import json
import random
import sys

TOOLS = sys.argv[1]
SHUFFLE = "--shuffle" in sys.argv
MORE = [it[2:] for it in sys.argv if it in ("--resources", "--prompts")]
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


def more(method, params):
    """The result of a method of resources or prompts."""
    if method == "resources/list":
        return {"resources": [{"uri": "file:///notes.md", "name": "notes"}]}
    if method == "resources/read" and params["uri"].startswith("screen:"):
        return {"contents": [{"uri": params["uri"], "mimeType": "image/png", "blob": "AAAA"}]}
    if method == "resources/read":
        return {"contents": [{"uri": params["uri"], "text": "Roses are red."}]}
    if method == "prompts/list":
        return {"prompts": [{"name": "args-prompt", "arguments": [{"name": "city"}]}]}
    if method == "prompts/get":
        said = {"type": "text", "text": "How is the weather?"}
        return {"messages": [{"role": "user", "content": said}]}
    return {} if method == "resources/subscribe" else None


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    message = json.loads(line)
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        about = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "listed", "version": "1"}}
        capabilities = {"tools": {"listChanged": True}}
        capabilities.update({it: {"subscribe": True} if it == "resources" else {} for it in MORE})
        send({"id": number, "result": {**about, "capabilities": capabilities}})
    elif method == "tools/list":
        send({"id": number, "result": {"tools": tools()}})
    elif method == "tools/call":
        name = message["params"]["name"]
        send({"id": number, "result": {"content": [{"type": "text", "text": "ran " + name}]}})
        if name == "refresh":
            send({"method": "notifications/tools/list_changed"})
    elif method == "ping":
        send({"id": number, "result": {}})
    elif method.split("/")[0] in MORE and (found := more(method, message.get("params"))) is not None:
        send({"id": number, "result": found})
    elif number is not None:
        send({"id": number, "error": {"code": -32601, "message": "no such method"}})
