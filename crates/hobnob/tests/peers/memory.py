"""Lends a model to the memory service, or none, with the official Python client.

    python memory.py legacy|modern model|none PREFIX stdio COMMAND ARGS...
    python memory.py legacy|modern model|none PREFIX http URL

PREFIX begins the names of the tools. Prints one line of JSON: what each step gave, and what the
model was asked.
"""

import asyncio
import json
import os
import sys

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters

PATIENCE_SECONDS = 60
BACKUP = "The nightly backup runs at three in the morning and keeps"

questions = []


async def sample(_context, params):
    content = params.messages[0].content
    text = (content[0] if isinstance(content, list) else content).text
    questions.append(text)
    if text.startswith("Merge"):
        said = "The nightly backup runs at three and keeps seven or fourteen days."
    else:
        said = '{"tags": ["database", "storage"], "context": "Where everything is kept."}'
    content = types.TextContent(type="text", text=said)
    return types.CreateMessageResult(role="assistant", model="abacus", content=content)


class Memory:
    def __init__(self, client, prefix):
        self.client = client
        self.prefix = prefix

    async def call(self, tool, **given):
        try:
            result = await self.client.call_tool(f"{self.prefix}_{tool}", given)
        except MCPError as error:
            return {"code": error.code, "message": error.message}
        text = result.content[0].text
        return {"failed": text} if result.is_error else json.loads(text)

    async def tour(self):
        decision = await self.call(
            "capture", namespace="decisions", content="Use PostgreSQL for the storage layer"
        )
        old = [
            await self.call("capture", namespace="config", content=f"{BACKUP} {days} days")
            for days in ("seven", "fourteen")
        ]
        enriched = await self.call("enrich", id=decision["id"])
        consolidated = await self.call("consolidate", namespaces=["config"])
        groups = consolidated.get("groups") or [{}]
        merged = groups[0].get("id")
        return {
            "revision": self.client.protocol_version,
            "questions": questions,
            "enriched": enriched,
            "labelled": await self.call("get", id=decision["id"]),
            "consolidated": consolidated,
            "merged": merged and await self.call("get", id=merged),
            "old": [await self.call("get", id=memory["id"]) for memory in old],
        }


async def main(era, model, prefix, transport, target, args):
    if transport == "stdio":
        server = StdioServerParameters(command=target, args=args, env=dict(os.environ))
    else:
        server = target
    client = Client(
        server,
        mode={"legacy": "legacy", "modern": "auto"}[era],
        read_timeout_seconds=PATIENCE_SECONDS,
        sampling_callback=sample if model == "model" else None,
    )
    async with client:
        print(json.dumps(await Memory(client, prefix).tour()), flush=True)


asyncio.run(main(*sys.argv[1:6], sys.argv[6:]))
