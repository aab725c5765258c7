import assert from "node:assert/strict";
import test from "node:test";
import { type Draft, draftOf, edits, type Memory, rebased } from "./tools.ts";

const memory: Memory = {
  id: "m1", urn: "memory://project/decisions/m1", namespace: "decisions", tags: ["a", "b"],
  content: "x", source: "docs/a.md", version: 3,
};

test("only what differs is sent, with the version that was read", () => {
  const cases: [Partial<Draft>, object | undefined][] = [
    [{}, undefined],
    [{ tags: " a,  b " }, undefined],
    [{ namespace: " decisions " }, undefined],
    [{ content: "y" }, { content: "y" }],
    [{ tags: "b c" }, { tags: ["b", "c"] }],
    // All tags, and the source, can be taken away.
    [{ tags: "" }, { tags: [] }],
    [{ source: "" }, { source: "" }],
    [{ namespace: "context", content: "z" }, { namespace: "context", content: "z" }],
  ];
  for (const [change, expected] of cases) {
    const sent = edits(memory, { ...draftOf(memory), ...change });
    const wanted = expected && { id: "m1", version: 3, ...expected };
    assert.deepEqual(sent, wanted, JSON.stringify(change));
  }
});

test("a draft goes on top of a newer version without undoing what it did not touch", () => {
  const now: Memory = { ...memory, content: "theirs", tags: ["c"], version: 4 };
  const mine: Draft = { ...draftOf(memory), content: "mine" };
  const next = rebased(mine, memory, now);
  assert.deepEqual(edits(now, next), { id: "m1", version: 4, content: "mine" });
  assert.equal(edits(now, rebased(draftOf(memory), memory, now)), undefined);
});
