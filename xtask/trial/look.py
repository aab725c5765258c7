"""Connects a Python client with its own patience, and lists the tools once.

    python look.py mcp|fastmcp COMMAND ARGS...

Prints one line of JSON: names and seconds.
"""

import asyncio
import json
import sys
import time


def client_of(library, command, args):
    if library == "mcp":
        from mcp import Client, StdioServerParameters

        return Client(StdioServerParameters(command=command, args=args))
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    return Client(StdioTransport(command=command, args=args, keep_alive=False))


async def main(library, command, args):
    client = client_of(library, command, args)
    begun = time.monotonic()
    async with client:
        connected = time.monotonic() - begun
        listed = await client.list_tools()
        names = [tool.name for tool in getattr(listed, "tools", listed)]
        seen = {"connected": connected, "listed": time.monotonic() - begun, "tools": names}
        print(json.dumps(seen), flush=True)


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
