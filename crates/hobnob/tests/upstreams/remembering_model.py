"""A provider of models that speaks Ollama's dialect and knows only what a request tells it.

It answers `What is fact N?` with the value that the request has for it, or with "unknown". Everything else
it answers at length. It sums up by repeating every fact that it is shown. The first line of its output is
its port; for each request it adds a JSON line with the last words of the person and the answer to the file
that it was started with. It ends when its parent does.
"""

import json
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FACT = re.compile(r"fact (\d+) is (\w+)")
FILLER = "This answer is long, as answers of models are, and says little that matters. " * 24


def answer(messages):
    shown = "\n".join(message.get("content", "") for message in messages)
    facts = dict(FACT.findall(shown))
    if messages[0].get("content", "").startswith("Summarise the conversation"):
        return "summary", "; ".join(f"fact {n} is {value}" for n, value in facts.items()) or "nothing"
    # A summary may stand before the question.
    asked = messages[-1].get("content", "").split("\n\n")[-1]
    wanted = re.search(r"What is fact (\d+)\?", asked)
    return asked, facts.get(wanted.group(1), "unknown") + "." if wanted else FILLER


class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked, said = answer(request["messages"])
        with open(sys.argv[1], "a", encoding="utf-8") as journal:
            journal.write(json.dumps({"asked": asked, "said": said[:80]}) + "\n")
        # About four bytes a token, as in English.
        tokens = sum(len(message.get("content", "")) for message in request["messages"]) // 4
        body = {"model": "m", "message": {"role": "assistant", "content": said}, "done": True,
                "done_reason": "stop", "prompt_eval_count": tokens, "eval_count": len(said) // 4}
        body = json.dumps(body).encode() + b"\n"
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


parent = os.getppid()
server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
server.timeout = 1
print(server.server_port, flush=True)
while os.getppid() == parent:
    server.handle_request()
