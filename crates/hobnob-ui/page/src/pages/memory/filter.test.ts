import assert from "node:assert/strict";
import test from "node:test";
import { filterText, type MemoryFilter, NO_FILTER } from "./filter.ts";

test("fields become the words of the grammar", () => {
  const cases: [Partial<MemoryFilter>, string | undefined][] = [
    [{}, undefined],
    [{ status: "active" }, undefined],
    [{ namespace: " decisions " }, "ns:decisions"],
    [{ tags: "a, b  c" }, "tag:a tag:b tag:c"],
    [{ withoutTags: "old" }, "-tag:old"],
    [{ scope: "org", status: "deleted" }, "scope:org status:deleted"],
    [{ since: "7d", source: "docs/*" }, "since:7d source:docs/*"],
    [{ source: "my notes.md" }, 'source:"my notes.md"'],
    // A quote would end the word and begin another one.
    [{ source: 'x" status:deleted "' }, 'source:"x status:deleted "'],
    [{ source: '"' }, undefined],
  ];
  for (const [fields, expected] of cases) {
    assert.equal(filterText({ ...NO_FILTER, ...fields }), expected, JSON.stringify(fields));
  }
});
