"""Drives a server with one of the Python clients.

    python drive.py mcp|fastmcp legacy|modern stdio COMMAND ARGS...
    python drive.py mcp|fastmcp legacy|modern http URL

Modern is what the clients find out by themselves: they probe, and must end up there.
Prints one line of JSON: what was seen.
"""

import asyncio
import json
import sys

PATIENCE_SECONDS = 20


def connect_mcp(mode, transport, target, args):
    from mcp import Client, StdioServerParameters

    server = StdioServerParameters(command=target, args=args) if transport == "stdio" else target
    client = Client(server, mode=mode, read_timeout_seconds=PATIENCE_SECONDS)
    return client, client.send_ping, client.call_tool


def connect_fastmcp(mode, transport, target, args):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport, StreamableHttpTransport

    if transport == "stdio":
        wire = StdioTransport(command=target, args=args, keep_alive=False)
    else:
        wire = StreamableHttpTransport(target)
    client = Client(wire, mode=mode, timeout=PATIENCE_SECONDS)
    return client, client.ping, client.call_tool_mcp


async def main(library, era, transport, target, args):
    connect = {"mcp": connect_mcp, "fastmcp": connect_fastmcp}[library]
    mode = {"legacy": "legacy", "modern": "auto"}[era]
    client, ping, call = connect(mode, transport, target, args)
    async with client:
        # The modern era has no ping.
        if era == "legacy":
            await ping()
        listed = await client.list_tools()
        result = await call("health_check", {})
        seen = {
            "revision": client.protocol_version,
            "ping": era == "legacy",
            "tools": [tool.name for tool in getattr(listed, "tools", listed)],
            "result": result.model_dump(mode="json", by_alias=True, exclude_none=True),
        }
        print(json.dumps(seen), flush=True)


asyncio.run(main(*sys.argv[1:5], sys.argv[5:]))
