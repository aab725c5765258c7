"""Calls a tool that waits for this client's reaction to its first progress.

    python progress.py legacy|modern stdio FIFO COMMAND ARGS...
    python progress.py legacy|modern http FIFO URL

Whoever holds progress back until the call ends waits for ever: the command that the tool runs ends
only once something was written to FIFO. Prints one line of JSON: what was seen.
"""

import asyncio
import json
import os
import sys

PATIENCE_SECONDS = 30


async def main(era, transport, fifo, target, args):
    from mcp import Client, StdioServerParameters

    env = dict(os.environ)
    stdio = StdioServerParameters(command=target, args=args, env=env)
    server = stdio if transport == "stdio" else target
    mode = {"legacy": "legacy", "modern": "auto"}[era]
    seen = []

    async def on_progress(progress, total, message):
        seen.append([progress, message])
        # The first output, which is not the start of the stream.
        if message and "one" in message:
            await asyncio.to_thread(lambda: open(fifo, "w").write("go\n"))

    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE_SECONDS) as client:
        arguments = {"command": "echo one; read word < gate; echo $word"}
        result = await client.call_tool("shell_run", arguments, progress_callback=on_progress)
        dumped = result.model_dump(mode="json", by_alias=True)
        revision = client.protocol_version
        output = dumped["structuredContent"]["stdout"]
        print(json.dumps({"revision": revision, "progress": seen, "output": output}), flush=True)


asyncio.run(main(*sys.argv[1:5], sys.argv[5:]))
