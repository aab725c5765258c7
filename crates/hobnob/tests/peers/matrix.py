"""Goes through the matrix's plan with the official Python client.

    python matrix.py legacy|auto PLAN stdio COMMAND ARGS...
    python matrix.py legacy|auto PLAN http URL

PLAN is a file: a list of steps. Prints one line of JSON per step: what was seen.
"""

import asyncio
import contextlib
import json
import os
import sys
import warnings

import mcp_types as types
from mcp import Client, StdioServerParameters

PATIENCE_SECONDS = 60
# How long an update may take before the resource is touched once more.
MOMENT_SECONDS = 0.5


def texts(parts):
    return "\n".join(getattr(part, "text", f"[{part.type}]") for part in parts)


async def elicit(_context, _params):
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def sample(_context, _params):
    content = types.TextContent(type="text", text="forty-two")
    return types.CreateMessageResult(role="assistant", model="abacus", content=content)


async def roots(_context):
    return types.ListRootsResult(roots=[types.Root(uri="file:///home")])


class Tour:
    def __init__(self, mode, server):
        self.mode = mode
        self.updated = {}
        self.client = Client(
            server,
            mode=mode,
            read_timeout_seconds=PATIENCE_SECONDS,
            elicitation_callback=elicit,
            sampling_callback=sample,
            list_roots_callback=roots,
            message_handler=self.message,
        )

    async def message(self, message):
        if isinstance(message, types.ResourceUpdatedNotification):
            self.mark_updated(str(message.params.uri))

    def mark_updated(self, uri):
        if uri in self.updated:
            self.updated[uri].set()

    async def revision(self, _step):
        return self.client.protocol_version

    async def list(self, step):
        names, cursor = [], None
        while True:
            page = await self.client.list_tools(cursor=cursor)
            names += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if cursor is None:
                return str(sum(name.startswith(step["prefix"]) for name in names))

    async def call(self, step):
        result = await self.client.call_tool(step["name"], step["arguments"])
        return ("failed: " if result.is_error else "") + texts(result.content)

    async def read(self, step):
        result = await self.client.read_resource(step["uri"])
        return "\n".join(f"{part.uri} {part.text}" for part in result.contents)

    @contextlib.asynccontextmanager
    async def subscribed(self, uri):
        """A subscription in the era's own way."""
        if self.mode == "legacy":
            with warnings.catch_warnings(action="ignore"):
                await self.client.subscribe_resource(uri)
                yield
                await self.client.unsubscribe_resource(uri)
            return

        async def follow(stream):
            async for event in stream:
                self.mark_updated(str(getattr(event, "uri", "")))

        async with self.client.listen(resource_subscriptions=[uri]) as stream:
            following = asyncio.create_task(follow(stream))
            yield
            following.cancel()

    async def watch(self, step):
        updated = self.updated[step["uri"]] = asyncio.Event()
        async with self.subscribed(step["uri"]):
            async with asyncio.timeout(PATIENCE_SECONDS):
                attempt = 0
                while not updated.is_set():
                    attempt += 1
                    filled = json.dumps(step["arguments"]).replace("{attempt}", str(attempt))
                    await self.client.call_tool(step["name"], json.loads(filled))
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(updated.wait(), MOMENT_SECONDS)
        return "updated"

    async def cancel(self, step):
        """Begins a call, takes it back as soon as it is known to run."""
        running = asyncio.Event()

        async def progress(*_):
            running.set()

        begun = asyncio.create_task(
            self.client.call_tool(step["name"], step["arguments"], progress_callback=progress)
        )
        starts = asyncio.create_task(running.wait())
        await asyncio.wait([begun, starts], return_when=asyncio.FIRST_COMPLETED)
        starts.cancel()
        if begun.done():
            return "finished: " + texts(begun.result().content)
        begun.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await begun
        return "cancelled"

    async def prompt(self, step):
        result = await self.client.get_prompt(step["name"], step["arguments"])
        return texts([message.content for message in result.messages])

    async def complete(self, step):
        ref = types.PromptReference(type="ref/prompt", name=step["name"])
        argument = {"name": step["argument"], "value": step["value"]}
        return ",".join((await self.client.complete(ref, argument)).completion.values)


async def main(mode, plan, transport, target, args):
    if transport == "stdio":
        server = StdioServerParameters(command=target, args=args, env=dict(os.environ))
    else:
        server = target
    with open(plan) as file:
        steps = json.load(file)
    tour = Tour(mode, server)
    async with tour.client:
        for step in steps:
            try:
                saw = await getattr(tour, step["act"])(step)
            except Exception as error:
                saw = f"error: {error!r}"
            seen = {"server": step["server"], "what": step["what"], "saw": saw}
            print(json.dumps(seen), flush=True)


asyncio.run(main(*sys.argv[1:5], sys.argv[5:]))
