"""A legacy MCP server over HTTP that forgets its sessions when it is started again.

`sessions.py PORT`: port 0 means any; the port is printed on the first line.
"""

import json
import sys
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sessions = set()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def reply(self, status, body=None, session=None):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", "application/json")
        if session:
            self.send_header("Mcp-Session-Id", session)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.reply(405)

    def do_DELETE(self):
        self.reply(405)

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, ident = message.get("method"), message.get("id")

        def result(value, session=None):
            self.reply(200, {"jsonrpc": "2.0", "id": ident, "result": value}, session)

        if method == "initialize":
            session = uuid.uuid4().hex
            sessions.add(session)
            return result({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                           "serverInfo": {"name": "sessions", "version": "1"}}, session)
        session = self.headers.get("Mcp-Session-Id")
        if session is None:
            error = {"code": -32600, "message": "no session"}
            return self.reply(400, {"jsonrpc": "2.0", "id": ident, "error": error})
        if session not in sessions:
            error = {"code": -32001, "message": "session not found"}
            return self.reply(404, {"jsonrpc": "2.0", "id": ident, "error": error})
        if ident is None:
            return self.reply(202)
        if method == "tools/list":
            return result({"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]})
        if method == "tools/call":
            said = message["params"]["arguments"]["message"]
            return result({"content": [{"type": "text", "text": said}]})
        error = {"code": -32601, "message": "no " + method}
        return self.reply(200, {"jsonrpc": "2.0", "id": ident, "error": error})


class Server(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


server = Server(("127.0.0.1", int(sys.argv[1])), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
