import assert from "node:assert/strict";
import { test } from "node:test";
import { nextPoint } from "./points.ts";

test("keys move from point to point, and begin at the newest", () => {
  const cases: [string, number | null, number | null | undefined][] = [
    ["ArrowLeft", null, 9], ["ArrowLeft", 9, 8], ["ArrowLeft", 0, 0],
    ["ArrowRight", null, 9], ["ArrowRight", 3, 4], ["ArrowRight", 9, 9],
    ["Home", null, 0], ["End", 2, 9], ["PageDown", 9, 0], ["PageUp", 3, 9],
    ["Escape", 3, null], ["Escape", null, undefined], ["Tab", 3, undefined],
  ];
  for (const [key, at, expected] of cases) assert.equal(nextPoint(key, at, 9), expected, `${key} at ${at}`);
});
