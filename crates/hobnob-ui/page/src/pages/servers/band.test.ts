import assert from "node:assert/strict";
import test from "node:test";
import type { Phase } from "../../types.ts";
import { bandWords, spanOf, startsIn, stretches } from "./band.ts";

const NOW = Date.parse("2026-01-02T04:00:00Z");
const change = (minutesAgo: number, phase: Phase) => ({ at: new Date(NOW - minutesAgo * 60_000).toISOString(), phase });
const minutes = (changes: readonly ReturnType<typeof change>[]) =>
  stretches(changes, NOW).map(({ from, to, condition }) => [condition, (to - from) / 60_000]);

test("an hour has no gaps and no overlaps", () => {
  const changes = [change(90, "sleeping"), change(30, "starting"), change(29, "ready"), change(10, "failed")];
  assert.deepEqual(minutes(changes), [
    ["rests", 30],
    ["busy", 1],
    ["up", 19],
    ["down", 10],
  ]);
  assert.equal(bandWords(stretches(changes, NOW)), "not running for 30 min, ready for 19 min, failed for 10 min, starting for 1 min in the last hour");
  assert.equal(startsIn(changes, NOW), 1);
});

test("what happened before the first change is unknown, and equal phases are one stretch", () => {
  assert.deepEqual(minutes([]), [["unknown", 60]]);
  assert.equal(bandWords(stretches([], NOW)), "nothing is known of the last hour");
  assert.deepEqual(minutes([change(2, "failed"), change(1, "resting")]), [
    ["unknown", 3],
    ["down", 2],
  ]);
});

test("a band begins with the first change", () => {
  assert.equal(spanOf([change(20, "ready")], NOW), 20 * 60_000);
  assert.equal(spanOf([change(200, "ready")], NOW), 60 * 60_000);
  assert.deepEqual(minutes([change(20, "starting"), change(10, "ready")]), [
    ["busy", 10],
    ["up", 10],
  ]);
});

test("clocks may differ and a newer hub may send other words", () => {
  assert.deepEqual(minutes([change(-5, "ready")]), [["unknown", 5]]);
  assert.deepEqual(minutes([{ at: "soon", phase: "ready" }]), [["unknown", 60]]);
  assert.deepEqual(minutes([change(15, "dancing" as Phase)]), [
    ["rests", 15],
  ]);
});
