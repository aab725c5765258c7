import assert from "node:assert/strict";
import { test } from "node:test";
import { SECONDS, Timeline } from "./timeline.ts";

const NOW = 1_000_000_000;

test("bars have the calls of their seconds, the newest last", () => {
  const line = new Timeline();
  line.add(NOW, { good: 2 });
  line.add(NOW + 999, { bad: 1 });
  line.add(NOW - 4_000, { good: 3, unknown: 1 });
  const bars = line.bars(NOW, 2);
  assert.equal(bars.length, SECONDS / 2);
  assert.deepEqual(bars.at(-1), { good: 2, bad: 1, unknown: 0 });
  assert.deepEqual(bars.at(-3), { good: 3, bad: 0, unknown: 1 });
  assert.deepEqual(bars.at(-2), { good: 0, bad: 0, unknown: 0 });
});

test("a call that ended after the clock's last tick is in the last bar", () => {
  const line = new Timeline();
  line.add(NOW + 3_000, { good: 1 });
  assert.deepEqual(line.bars(NOW, 2).at(-1), { good: 1, bad: 0, unknown: 0 });
});

test("what is too old is forgotten, and never counted again", () => {
  const line = new Timeline();
  line.add(NOW - SECONDS * 1000, { good: 7 });
  line.add(NOW, { good: 1 });
  line.add(NOW - SECONDS * 1000, { good: 7 });
  assert.equal(line.bars(NOW, 2).reduce((sum, bar) => sum + bar.good, 0), 1);
});

test("totals of the last seconds", () => {
  const line = new Timeline();
  line.add(NOW - 59_000, { good: 1 });
  line.add(NOW - 60_000, { good: 1 });
  line.add(NOW, { bad: 2, unknown: 3 });
  assert.deepEqual(line.total(NOW, 60), { calls: 6, bad: 2 });
});
