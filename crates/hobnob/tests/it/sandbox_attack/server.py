"""A server with a tool that runs the attack beside it and answers with what that printed, and one that
answers with the contents of a file."""

import json, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = [{"name": name, "inputSchema": {"type": "object"}} for name in ("attack", "read")]


def call(params):
    if params["name"] == "attack":
        return attack()
    try:
        return {"content": [{"type": "text", "text": open(params["arguments"]["path"]).read()}]}
    except OSError as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


def attack():
    words = [sys.executable, os.path.join(HERE, "inside.py"), os.path.join(HERE, "places.json")]
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return {"content": [{"type": "text", "text": done.stdout}], "isError": done.returncode != 0}


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    match message["method"]:
        case "initialize":
            answer["result"] = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                "serverInfo": {"name": "attacker", "version": "1"}}
        case "tools/list":
            answer["result"] = {"tools": TOOLS}
        case "tools/call":
            answer["result"] = call(message["params"])
        case _:
            answer["error"] = {"code": -32601, "message": "no such method"}
    print(json.dumps(answer), flush=True)
