import assert from "node:assert/strict";
import { test } from "node:test";
import { EventParser } from "./sse.ts";

const STREAM = ':hello\n\nid: 1\nevent: state\ndata: {"a":\ndata: 1}\n\nid: 2\r\nevent: calls\r\ndata: x\r\n\r\ndata:y\n\nevent: none\n\n';
const EVENTS = [
  { id: "1", event: "state", data: '{"a":\n1}' },
  { id: "2", event: "calls", data: "x" },
  { id: "2", event: "message", data: "y" },
];

test("events are the same however the stream is cut", () => {
  for (let size = 1; size <= STREAM.length; size += 1) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < STREAM.length; at += size) events.push(...parser.push(STREAM.slice(at, at + size)));
    assert.deepEqual(events, EVENTS, `pieces of ${size}`);
  }
});

test("an event without an end is refused, not kept for ever", () => {
  const parser = new EventParser();
  const piece = "x".repeat(1 << 20);
  assert.throws(() => {
    for (let count = 0; count < 20; count += 1) parser.push(piece);
  }, /too long/);
});
