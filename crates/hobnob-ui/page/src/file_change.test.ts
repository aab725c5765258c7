import assert from "node:assert/strict";
import { test } from "node:test";
import { fileChanges } from "./file_change.ts";

function check(value: unknown, expected: unknown): void {
  assert.deepEqual(fileChanges(typeof value === "string" ? value : JSON.stringify(value)), expected);
}

test("a pair of old and new text is a change", () => {
  check({ file_path: "/a", old_string: "x", new_string: "y" }, [{ path: "/a", before: "x", after: "y", whole: false }]);
  check({ path: "/a", old_str: "x", new_str: "" }, [{ path: "/a", before: "x", after: "", whole: false }]);
});

test("a list of edits is as many changes, each with its own path if it has one", () => {
  check({ path: "/a", edits: [{ oldText: "1", newText: "2" }, { path: "/b", oldText: "3", newText: "4" }] }, [
    { path: "/a", before: "1", after: "2", whole: false },
    { path: "/b", before: "3", after: "4", whole: false },
  ]);
});

test("content with a path is a whole file", () => {
  check({ path: "/a", content: "x\ny" }, [{ path: "/a", before: "", after: "x\ny", whole: true }]);
});

test("other arguments change no file", () => {
  for (const value of [{ content: "x" }, { path: "/a" }, { old_string: 1, new_string: "y" }, [], "x", "{no json", '{"__proto__":{"path":"/a","content":"x"}}']) {
    check(value, []);
  }
});
