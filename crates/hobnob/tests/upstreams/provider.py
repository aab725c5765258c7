"""A provider of models in Ollama's dialect, for the scripts beside this one.

It listens on a free port, which is on the first line of its output, and ends when its parent does.
"""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def serve(answer):
    """Answers each request with the text, and the tokens read and written, that `answer` gives for it."""

    class Provider(BaseHTTPRequestHandler):
        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said, read, written = answer(request)
            body = {"model": "m", "message": {"role": "assistant", "content": said}, "done": True,
                    "done_reason": "stop", "prompt_eval_count": read, "eval_count": written}
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
