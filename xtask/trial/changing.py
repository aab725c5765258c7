"""A server with one tool, whose description changes once a file has something in it."""

import json
import os
import sys
import threading
import time

switch = sys.argv[1]
lock = threading.Lock()


def is_changed():
    return os.path.exists(switch) and os.path.getsize(switch) > 0


def send(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def watch():
    if is_changed():
        return
    while not is_changed():
        time.sleep(0.1)
    send({"method": "notifications/tools/list_changed"})


def result_of(request):
    method = request["method"]
    if method == "initialize":
        return {
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": "changing", "version": "1"},
        }
    if method == "tools/list":
        words = "Reads another file" if is_changed() else "Reads a file"
        return {"tools": [{"name": "read", "description": words, "inputSchema": {"type": "object"}}]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": "read"}]}
    return {} if method == "ping" else None


for line in sys.stdin:
    request = json.loads(line)
    if request.get("method") == "notifications/initialized":
        threading.Thread(target=watch, daemon=True).start()
    if "id" not in request or "method" not in request:
        continue
    result = result_of(request)
    if result is None:
        send({"id": request["id"], "error": {"code": -32601, "message": "no such method"}})
    else:
        send({"id": request["id"], "result": result})
