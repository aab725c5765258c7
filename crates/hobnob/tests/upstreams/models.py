"""A provider of models that speaks Ollama's dialect and answers every question with "Roses."

It listens on a free port, which is on the first line of its output, and ends with whoever started it.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MESSAGE = {"role": "assistant", "content": "Roses."}
ANSWER = {"model": "m", "message": MESSAGE, "done": True, "done_reason": "stop"}


class Provider(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({**ANSWER, "prompt_eval_count": 1, "eval_count": 1}).encode() + b"\n"
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
