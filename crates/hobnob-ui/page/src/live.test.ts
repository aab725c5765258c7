// The reader of the stream against a made-up `fetch`: what it asks for next, and when it stops.

import assert from "node:assert/strict";
import { before, beforeEach, mock, test } from "node:test";
import { session } from "./api.ts";
import { catchUp, listen } from "./live.ts";
import { link, recent, status } from "./state.ts";
import type { State } from "./types.ts";

type Stream = { headers: Record<string, string>; send: (text: string) => void; close: () => void };

const STATE: State = {
  status: { version: "1", pid: 1, instance: "i", project: "p", servers: [] },
  running: [],
  recent: [],
  questions: [],
  waiting: { approvals: [], changed_tools: [], logins: [] },
};
const frame = (id: number, event: string, data: unknown) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

let answer: () => Response | null = () => null;
let opened: (stream: Stream) => void = () => undefined;

/** The next stream that the page opens. */
function nextStream(): Promise<Stream> {
  return new Promise((resolve) => (opened = resolve));
}

/** Resolves once `holds`; every step of the page is a microtask or a read of a stream. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

before(() => {
  // The waits between attempts are the page's own; the tests ask it to try at once.
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  Object.assign(globalThis, {
    document: { addEventListener: () => undefined, visibilityState: "visible" },
    addEventListener: () => undefined,
    fetch: async (_path: string, options: { headers: Record<string, string> }) => {
      const given = answer();
      if (given) return given;
      let control: ReadableStreamDefaultController<Uint8Array> | undefined;
      const body = new ReadableStream<Uint8Array>({ start: (made) => void (control = made) });
      opened({ headers: options.headers, send: (text) => control?.enqueue(new TextEncoder().encode(text)), close: () => control?.close() });
      return new Response(body);
    },
  });
});

beforeEach(() => {
  answer = () => null;
});

test("a stream resumes after the last event, begins anew after a broken one, and ends with the session", async () => {
  const first = nextStream();
  listen();
  let stream = await first;
  assert.equal(stream.headers["last-event-id"], undefined);
  stream.send(frame(7, "state", STATE));
  await until(() => status.value !== null);
  assert.equal(link.value.phase, "live");

  stream.close();
  await until(() => link.value.phase === "away");
  let next = nextStream();
  catchUp();
  stream = await next;
  assert.equal(stream.headers["last-event-id"], "7");

  stream.send("id: 8\nevent: calls\ndata: {broken\n\n");
  await until(() => link.value.phase === "away");
  next = nextStream();
  catchUp();
  stream = await next;
  assert.equal(stream.headers["last-event-id"], undefined);

  stream.send(frame(9, "state", { ...STATE, recent: [] }) + frame(10, "novelty", {}) + frame(11, "end", { reason: "stopping" }));
  stream.close();
  await until(() => link.value.phase === "away");
  answer = () => Response.json({ error: "16 pages are open already" }, { status: 503 });
  catchUp();
  await until(() => link.value.phase === "away" && link.value.reason === "16 pages are open already");
  assert.notEqual(session.value.phase, "ended");

  answer = () => new Response(null, { status: 401 });
  catchUp();
  await until(() => session.value.phase === "ended");
  assert.equal(recent.value.length, 0);
  answer = () => assert.fail("a page without a session asks no more");
  catchUp();
});
