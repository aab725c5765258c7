"""A client and a server of the official Python library, which record spans of their own.

    python traces.py ENDPOINT server
    python traces.py ENDPOINT client legacy|modern stdio COMMAND ARGS...
    python traces.py ENDPOINT client legacy|modern http URL

Both send their spans to ENDPOINT. The client calls the tool `seen` once, within a span of its own,
and prints one line of JSON: the ids of that span, and the tool's text. The tool says which span it
is in, and which one is the parent.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.server import MCPServer
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

PATIENCE_SECONDS = 60


def record(endpoint):
    provider = TracerProvider()
    exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=PATIENCE_SECONDS)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


def ids(span):
    context = span.get_span_context()
    return {"trace": f"{context.trace_id:032x}", "span": f"{context.span_id:016x}"}


def serve():
    server = MCPServer("traced")

    @server.tool()
    def seen() -> str:
        span = trace.get_current_span()
        return json.dumps({**ids(span), "parent": f"{span.parent.span_id:016x}"})

    server.run()


async def call(era, transport, target, args):
    server = target
    if transport == "stdio":
        server = StdioServerParameters(command=target, args=args, env=dict(os.environ))
    mode = {"legacy": "legacy", "modern": "auto"}[era]
    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE_SECONDS) as client:
        with trace.get_tracer("traces.py").start_as_current_span("ask") as span:
            result = await client.call_tool("mcp__up__seen", {})
    text = result.content[0].text
    print(json.dumps({**ids(span), "error": bool(result.is_error), "text": text}), flush=True)


record(sys.argv[1])
if sys.argv[2] == "server":
    serve()
else:
    asyncio.run(call(*sys.argv[3:6], sys.argv[6:]))
