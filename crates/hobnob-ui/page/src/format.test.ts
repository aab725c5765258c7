import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesText, countText, durationText, outcomeText, outcomeTone, shorten, visible, whenText } from "./format.ts";

function check<Input>(show: (input: Input) => string, cases: [Input, string][]): void {
  for (const [input, expected] of cases) assert.equal(show(input), expected);
}

test("sizes", () => {
  check(bytesText, [[0, "0 B"], [999, "999 B"], [1000, "1.0 kB"], [1234, "1.2 kB"], [123_456, "123 kB"], [999_999, "1.0 MB"], [5e15, "5000 TB"]]);
});

test("durations", () => {
  check(durationText, [
    [0, "0 µs"], [840, "840 µs"], [999.7, "1.0 ms"], [1_400, "1.4 ms"], [12_000, "12 ms"], [999_600, "1.0 s"],
    [1_400_000, "1.4 s"], [59_700_000, "1 min"], [125_000_000, "2 min 5 s"], [7_440_000_000, "2 h 4 min"], [90_000_000_000, "1 d 1 h"],
  ]);
});

test("times relative to now", () => {
  const now = Date.UTC(2026, 10, 19, 12);
  check((ago: number) => whenText(now - ago * 1000, now), [
    [0, "now"], [1, "now"], [5, "5 s ago"], [60, "1 min ago"], [7200, "2 h ago"], [86_400, "1 d ago"], [86_400 * 30, "2026-10-20"], [-300, "in 5 min"],
  ]);
});

test("counts", () => {
  check(countText, [[0, "0"], [1234, "1,234"], [12_345, "12.3k"], [123_456, "123k"], [999_900, "1.0M"]]);
});

test("outcomes with either separator", () => {
  assert.equal(outcomeText("tool_error"), "tool error");
  assert.equal(outcomeText("error", -32602), "error -32602");
  assert.equal(outcomeTone("upstream_lost"), "bad");
  assert.equal(outcomeTone("refused"), "warn");
});

test("text that is cut keeps whole characters", () => {
  assert.equal(shorten("abcdef", 4), "abc…");
  assert.equal(shorten("ab😀cd", 4), "ab…");
});

test("characters that hide or reorder text are shown", () => {
  assert.equal(visible("a\u202eb\u0000c\u200b"), "a\\u{202e}b\\u{0}c\\u{200b}");
  assert.equal(visible("tag \u{e0041}"), "tag \\u{e0041}");
  assert.equal(visible("tab\tnewline\nümlaut 😀"), "tab\tnewline\nümlaut 😀");
});
