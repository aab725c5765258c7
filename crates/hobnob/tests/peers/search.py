"""Finds, describes and calls tools of a long list with the official Python client.

    python search.py mcp legacy|modern stdio PLAN COMMAND ARGS...
    python search.py mcp legacy|modern http PLAN URL

PLAN is JSON: the `query` to find a tool by, and `calls`, names of tools that are called without
arguments, directly and through call_tool. Prints one line of JSON: what was seen.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters

PATIENCE_SECONDS = 60


async def outcome(client, name, given):
    """Protocol errors are raised, and compared like results."""
    try:
        result = await client.call_tool(name, given)
    except Exception as error:
        return {"message": str(error)}
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def main(_library, era, transport, plan, target, args):
    plan = json.loads(plan)
    server = target
    if transport == "stdio":
        server = StdioServerParameters(command=target, args=args, env=dict(os.environ))
    mode = {"legacy": "legacy", "modern": "auto"}[era]
    async with Client(server, mode=mode, read_timeout_seconds=PATIENCE_SECONDS) as client:
        listed = await client.list_tools()
        answer = await outcome(client, "find_tools", {"query": plan["query"]})
        found = json.loads(answer["content"][0]["text"])
        first = found[0]["name"]
        answer = await outcome(client, "describe_tools", {"names": [first]})
        seen = {
            "tools": [tool.name for tool in listed.tools],
            "found": found,
            "described": json.loads(answer["content"][0]["text"]),
            "result": await outcome(client, "call_tool", {"name": first, "arguments": {}}),
            "pairs": [],
        }
        for name in plan["calls"]:
            direct = await outcome(client, name, {})
            through = await outcome(client, "call_tool", {"name": name, "arguments": {}})
            seen["pairs"].append([name, direct, through])
        print(json.dumps(seen), flush=True)


asyncio.run(main(*sys.argv[1:6], sys.argv[6:]))
