import assert from "node:assert/strict";
import test from "node:test";
import { axisTime } from "./axis_time.ts";

test("marks are times of day, and dates where a day begins", () => {
  const at = (hour: number, minute: number) => new Date(2026, 10, 3, hour, minute).getTime() / 1000;
  const cases: [number, number, string][] = [
    [at(14, 5), 300, "14:05"],
    [at(0, 0), 3600, "3 Nov"],
    [at(0, 5), 300, "00:05"],
    [at(14, 0), 86_400, "3 Nov"],
    [at(0, 0), 7 * 86_400, "3 Nov"],
  ];
  for (const [time, step, expected] of cases) assert.equal(axisTime(time, step), expected);
});
