"""A gateway of another make: passes on whatever is behind a URL, and says where it listens."""

import asyncio
import socket
import sys

from fastmcp.server import create_proxy


async def main():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    proxy = create_proxy(sys.argv[1], name="proxy")
    print(f"http://127.0.0.1:{port}/mcp", flush=True)
    await proxy.run_async(transport="http", host="127.0.0.1", port=port, show_banner=False)


asyncio.run(main())
