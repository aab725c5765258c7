"""A friendly MCP server on stdio, whose tools have schemas that forms can be made of.

Each call leaves a line in the journal, so that a test can count how often a tool really ran. A call of
`wait` runs until a line with its word is in the journal's neighbour, or until it is cancelled.
"""

import json
import os
import sys
import threading
import time

JOURNAL = sys.argv[1]
PIXEL = ("iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNkYPhfz0AEYBxVSF+F"
         "AAhKDveksOjmAAAAAElFTkSuQmCC")
ORDER = {
    "type": "object",
    "properties": {
        "item": {"type": "string", "title": "Item", "description": "What is ordered"},
        "count": {"type": "integer", "minimum": 1, "maximum": 99, "default": 1},
        "price": {"type": "number"},
        "gift": {"type": "boolean", "description": "Whether it is wrapped"},
        "size": {"type": "string", "enum": ["small", "large"]},
        "colours": {"type": "array", "items": {"type": "string"}},
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "number": {"type": "integer"}},
            "required": ["street"],
        },
    },
    "required": ["item", "count"],
}
EDIT = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "old_string": {"type": "string"},
        "new_string": {"type": "string"},
    },
    "required": ["path", "old_string", "new_string"],
}
NOTHING = {"type": "object", "properties": {}}
TOOLS = [
    {"name": "order", "title": "Order something", "description": "Orders an item of the shop.",
     "inputSchema": ORDER},
    {"name": "stock", "title": "Stock", "description": "Lists what is in stock.",
     "inputSchema": NOTHING, "annotations": {"readOnlyHint": True}},
    {"name": "picture", "description": "Shows a picture.", "inputSchema": NOTHING},
    {"name": "edit", "description": "Changes a file.", "inputSchema": EDIT},
    {"name": "wait", "description": "Waits until it is told to go on.",
     "inputSchema": {"type": "object", "properties": {"word": {"type": "string"}}}},
]
out = threading.Lock()
cancelled = set()


def send(message):
    with out:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def note(**line):
    with open(JOURNAL, "a", encoding="utf-8") as journal:
        journal.write(json.dumps({"pid": os.getpid(), **line}) + "\n")


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def wait(ident, word, token):
    """Reports progress once, then polls, since the test that ends it is another process."""
    if token is not None:
        progress = {"progressToken": token, "progress": 1, "total": 4, "message": "in the queue"}
        send({"method": "notifications/progress", "params": progress})
    while not os.path.exists(f"{JOURNAL}.{word}"):
        if ident in cancelled:
            note(what="cancelled", word=word)
            return
        time.sleep(0.02)
    send({"id": ident, "result": text("went on")})


def call(ident, params):
    name, given = params["name"], params.get("arguments") or {}
    note(what="call", tool=name, arguments=given)
    if name == "wait":
        token = params.get("_meta", {}).get("progressToken")
        threading.Thread(target=wait, args=(ident, given["word"], token), daemon=True).start()
        return None
    if name == "order":
        return text("ordered " + json.dumps(given, sort_keys=True))
    if name == "stock":
        rows = [{"item": "cup", "left": 3}, {"item": "plate", "left": 0}]
        return text(json.dumps({"items": rows}), structuredContent={"items": rows})
    if name == "picture":
        return {"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]}
    return text("edited " + given.get("path", ""))


def tools():
    """A text beside the journal describes `stock`, so that a test can change a definition."""
    described = f"{JOURNAL}.stock"
    if not os.path.exists(described):
        return TOOLS
    with open(described, encoding="utf-8") as text:
        description = text.read()
    return [{**tool, "description": description} if tool["name"] == "stock" else tool for tool in TOOLS]


def answer(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "shop", "title": "The shop", "version": "1.2"}}
    if method == "tools/list":
        return {"tools": tools()}
    if method == "tools/call":
        return call(message["id"], params)
    return {}


note(what="start")
sys.stderr.write("the shop opens\n")
sys.stderr.flush()
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "notifications/cancelled":
        cancelled.add(message["params"]["requestId"])
    elif "id" in message and "method" in message:
        result = answer(message)
        if result is not None:
            send({"id": message["id"], "result": result})
