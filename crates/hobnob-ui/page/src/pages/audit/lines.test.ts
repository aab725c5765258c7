import assert from "node:assert/strict";
import test from "node:test";
import type { AuditPage } from "../../types.ts";
import { auditQuery, extended, isFault, joined, targetOf } from "./lines.ts";

const page = (numbers: number[], next: string | null): AuditPage => ({
  lines: numbers.map((seq) => ({ at: `2026-03-01T00:00:${String(seq).padStart(2, "0")}Z` })),
  next,
});
const seconds = ({ lines }: AuditPage) => lines.map((line) => Number(line.at.slice(17, 19)));

test("the newest lines join those that are shown", () => {
  const cases: [AuditPage, AuditPage, number[], string | null][] = [
    // newest, shown → lines, next
    [page([4, 3, 2], "<2"), page([2, 1], null), [4, 3, 2, 1], null],
    [page([4, 3], "<3"), page([3, 2, 1], "<1"), [4, 3, 2, 1], "<1"],
    [page([3, 2], "<2"), page([3, 2], "<2"), [3, 2], "<2"],
    // A line that ended late stands between lines that are shown already.
    [page([4, 3, 2], "<2"), page([4, 2, 1], null), [4, 3, 2, 1], null],
    // More came than fits on a page: what is between is unknown.
    [page([9, 8], "<8"), page([5, 4], null), [9, 8], "<8"],
    // The whole log is one page.
    [page([2, 1], null), page([1], null), [2, 1], null],
    [page([], null), page([1], null), [], null],
  ];
  for (const [newest, shown, lines, next] of cases) {
    const result = joined(newest, shown);
    assert.deepEqual(seconds(result), lines);
    assert.equal(result.next, next);
  }
});

test("an older page goes below", () => {
  const result = extended(page([4, 3], "<3"), page([2, 1], null));
  assert.deepEqual([seconds(result), result.next], [[4, 3, 2, 1], null]);
});

test("each kind of line says what it is about", () => {
  const at = "2026-03-01T00:00:00Z";
  assert.equal(targetOf({ at, tool: "memory_get" }), "memory_get");
  assert.equal(targetOf({ at, uri: "file:///a" }), "file:///a");
  assert.equal(targetOf({ at, program: "ls -l" }), "ls -l");
  assert.equal(targetOf({ at, grant: "files /home" }), "files /home");
  assert.equal(targetOf({ at, method: "tokens/missing" }), "");
  for (const fault of [{ at, lost: 3 }, { at, torn: "{" }, { at, head: "lost" }]) {
    assert.ok(isFault(fault) && targetOf(fault) !== "");
  }
});

test("the query has only what is set", () => {
  assert.equal(auditQuery({ words: " ", outcome: "" }, null), "limit=200");
  assert.equal(
    auditQuery({ words: "a b&c", outcome: "tool_error" }, "x/1"),
    "limit=200&before=x%2F1&q=a+b%26c&outcome=tool_error",
  );
});
