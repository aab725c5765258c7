// Talks to the native RPC with `ws`, the usual WebSocket library of Node.
//
//   node websocket.mjs URL METHOD GO-FILE
//
// METHOD runs a line of `sh`; the line that is run here waits for GO-FILE, which this script makes
// once the first output has arrived. PEER_HOME is the folder that `ws` is installed in.
// Prints one line of JSON: what was seen.

import { createRequire } from "node:module";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const WebSocket = require("ws");
const [url, method, go] = process.argv.slice(2);
const WAITING = "echo one; while ! test -e go; do sleep 0.01; done; echo two >&2; exit 7";

class Peer {
  constructor(socket) {
    this.socket = socket;
    this.waiting = [];
    this.readers = [];
    socket.on("message", (data) => {
      const message = JSON.parse(data);
      const reader = this.readers.shift();
      if (reader) reader(message);
      else this.waiting.push(message);
    });
  }

  static async connect(options) {
    const socket = new WebSocket(url, options);
    const peer = new Peer(socket);
    await once(socket, "open");
    return peer;
  }

  next() {
    if (this.waiting.length) return Promise.resolve(this.waiting.shift());
    return new Promise((resolve) => this.readers.push(resolve));
  }

  ask(id, method, params) {
    this.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  }

  async event() {
    return (await this.next()).params.result;
  }
}

async function refused() {
  const socket = new WebSocket(url, { origin: "https://evil.example" });
  const [, response] = await once(socket, "unexpected-response");
  response.destroy();
  return response.statusCode;
}

async function pong(peer) {
  peer.socket.ping("sign of life");
  const [data] = await once(peer.socket, "pong");
  return data.toString();
}

async function stream(peer) {
  peer.ask(1, method, { command: WAITING });
  const subscription = (await peer.next()).result;
  const events = [await peer.event(), await peer.event()];
  // The program waits for this, so both events came before its end.
  writeFileSync(go, "");
  events.push(await peer.event(), await peer.event());
  rmSync(go);
  return { subscription, events };
}

async function unsubscribed(peer) {
  peer.ask(2, method, { command: WAITING });
  const { result } = await peer.next();
  await peer.event();
  await peer.event();
  peer.ask(3, "unsubscribe", [result]);
  const answer = (await peer.next()).result;
  peer.ask(4, "unsubscribe", [result]);
  return [answer, (await peer.next()).result];
}

async function large(peer) {
  const text = JSON.stringify({
    jsonrpc: "2.0",
    id: 5,
    method: "no.such",
    params: { pad: "ü".repeat(500000) },
  });
  peer.socket.send(text);
  const whole = (await peer.next()).error.code;
  for (let at = 0; at < text.length; at += 99991) {
    peer.socket.send(text.slice(at, at + 99991), { fin: text.length <= at + 99991 });
  }
  const fragmented = (await peer.next()).error.code;
  peer.ask(6, method, { command: "head -c 300000 /dev/zero | tr '\\0' x" });
  await peer.next();
  let received = 0;
  for (let event = await peer.event(); event.type !== "complete"; event = await peer.event()) {
    received += event.data?.length ?? 0;
  }
  return { whole, fragmented, received };
}

async function closed(act) {
  const peer = await Peer.connect();
  act(peer.socket);
  const [code, reason] = await once(peer.socket, "close");
  return { code, reason: reason.toString() };
}

const peer = await Peer.connect();
const seen = {
  refused: await refused(),
  pong: await pong(peer),
  stream: await stream(peer),
  unsubscribed: await unsubscribed(peer),
  large: await large(peer),
  binary: await closed((socket) => socket.send(Buffer.from([1, 2, 3]))),
  oversized: await closed((socket) => socket.send("x".repeat(5 << 20))),
  closed: await closed((socket) => socket.close(1000, "bye")),
};
peer.socket.close(1000, "done");
const [code] = await once(peer.socket, "close");
console.log(JSON.stringify({ ...seen, last: code }));
