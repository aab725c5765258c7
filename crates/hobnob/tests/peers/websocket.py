"""Talks to the native RPC with `websockets`, the usual WebSocket library of Python.

    python websocket.py URL METHOD GO-FILE

METHOD runs a line of `sh`; the line that is run here waits for GO-FILE, which this script makes once
the first output has arrived. Prints one line of JSON: what was seen.
"""

import asyncio
import json
import pathlib
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

URL, METHOD, GO = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
WAITING = "echo one; while ! test -e go; do sleep 0.01; done; echo two >&2; exit 7"
PATIENCE_SECONDS = 30


def request(id, method, params):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


async def following(socket):
    return json.loads(await asyncio.wait_for(socket.recv(), PATIENCE_SECONDS))


async def event(socket):
    return (await following(socket))["params"]["result"]


async def refused():
    try:
        async with connect(URL, origin="https://evil.example", proxy=None):
            return None
    except InvalidStatus as error:
        return error.response.status_code


async def pong(socket):
    waiter = await socket.ping("sign of life")
    await asyncio.wait_for(waiter, PATIENCE_SECONDS)
    return "sign of life"


async def stream(socket):
    await socket.send(request(1, METHOD, {"command": WAITING}))
    subscription = (await following(socket))["result"]
    events = [await event(socket), await event(socket)]
    # The program waits for this, so both events came before its end.
    GO.touch()
    events += [await event(socket), await event(socket)]
    GO.unlink()
    return {"subscription": subscription, "events": events}


async def unsubscribed(socket):
    await socket.send(request(2, METHOD, {"command": WAITING}))
    subscription = (await following(socket))["result"]
    await event(socket)
    await event(socket)
    answers = []
    for id in (3, 4):
        await socket.send(request(id, "unsubscribe", [subscription]))
        answers.append((await following(socket))["result"])
    return answers


async def large(socket):
    text = json.dumps(
        {"jsonrpc": "2.0", "id": 5, "method": "no.such", "params": {"pad": "ü" * 500000}},
        ensure_ascii=False,
    )
    await socket.send(text)
    whole = (await following(socket))["error"]["code"]
    await socket.send(text[at : at + 99991] for at in range(0, len(text), 99991))
    fragmented = (await following(socket))["error"]["code"]
    await socket.send(request(6, METHOD, {"command": "head -c 300000 /dev/zero | tr '\\0' x"}))
    await following(socket)
    received = 0
    while (item := await event(socket))["type"] != "complete":
        received += len(item.get("data", ""))
    return {"whole": whole, "fragmented": fragmented, "received": received}


async def closed(act):
    # Not `async with`: the library fails when it closes a connection that ended while it wrote.
    socket = await connect(URL, proxy=None, max_size=None)
    try:
        await act(socket)
        await asyncio.wait_for(socket.recv(), PATIENCE_SECONDS)
    except ConnectionClosed as error:
        frame = error.rcvd
        return {"code": frame and frame.code, "reason": frame and frame.reason}


async def main():
    async with connect(URL, proxy=None) as socket:
        seen = {
            "refused": await refused(),
            "pong": await pong(socket),
            "stream": await stream(socket),
            "unsubscribed": await unsubscribed(socket),
            "large": await large(socket),
            "binary": await closed(lambda other: other.send(b"\x01\x02\x03")),
            "oversized": await closed(lambda other: other.send("x" * (5 << 20))),
            "closed": await closed(lambda other: other.close(1000, "bye")),
        }
    print(json.dumps({**seen, "last": socket.close_code}), flush=True)


asyncio.run(main())
