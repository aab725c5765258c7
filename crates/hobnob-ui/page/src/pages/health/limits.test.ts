import assert from "node:assert/strict";
import test from "node:test";
import { byNearness, nearness, share, shareText } from "./limits.ts";

const limit = (used: number, max: number) => ({ name: `${used}/${max}`, used, max, unit: "count" as const, remedy: "" });

test("limits near their bounds are marked", () => {
  const cases: [number, number, string][] = [
    [0, 10, "fine"],
    [7, 10, "fine"],
    [8, 10, "near"],
    [94, 100, "near"],
    [95, 100, "full"],
    [20, 10, "full"],
    // No bound: nothing can be near it.
    [5, 0, "fine"],
  ];
  for (const [used, max, expected] of cases) {
    assert.equal(nearness(limit(used, max)), expected, `${used} of ${max}`);
  }
  assert.equal(share(limit(20, 10)), 1);
});

test("the nearest come first, the others keep their order", () => {
  const names = byNearness([limit(1, 10), limit(8, 10), limit(2, 10), limit(10, 10)]).map((one) => one.name);
  assert.deepEqual(names, ["10/10", "8/10", "1/10", "2/10"]);
});

test("a share says 100 % only at the bound", () => {
  const cases: [number, number, string][] = [[0, 10, "0 %"], [1, 4096, "< 1 %"], [8, 10, "80 %"], [9_999, 10_000, "99 %"], [10, 10, "100 %"], [20, 10, "100 %"], [5, 0, "0 %"]];
  for (const [used, max, expected] of cases) assert.equal(shareText(limit(used, max)), expected, `${used} of ${max}`);
});
