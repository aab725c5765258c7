import assert from "node:assert/strict";
import test from "node:test";
import { collected, type Part } from "./paging.ts";

const list = (length: number, size: number) => {
  const asked: (string | undefined)[] = [];
  const read = async (cursor: string | undefined): Promise<Part<number>> => {
    asked.push(cursor);
    const from = Number(cursor ?? 0);
    const items = Array.from({ length: Math.min(size, length - from) }, (_, at) => from + at);
    const end = from + items.length;
    return { items, next: end < length ? String(end) : undefined };
  };
  return { read, asked };
};

test("cursors are followed until enough is there", async () => {
  const cases: [number, number, number, number, boolean][] = [
    // length, size of a part, wanted → parts read, more
    [0, 10, 10, 1, false],
    [10, 10, 10, 1, false],
    [11, 10, 10, 1, true],
    [35, 10, 30, 3, true],
    [35, 10, 31, 4, false],
    [35, 10, 1000, 4, false],
  ];
  for (const [length, size, wanted, parts, more] of cases) {
    const { read, asked } = list(length, size);
    const found = await collected(wanted, read);
    assert.equal(asked.length, parts, `${length}/${size}/${wanted}`);
    assert.equal(found.more, more);
    assert.deepEqual(found.items, found.items.map((_, at) => at));
  }
});

test("a cursor that leads nowhere ends the list", async () => {
  assert.deepEqual(await collected(10, async () => ({ items: [], next: "x" })), { items: [], more: false });
});
