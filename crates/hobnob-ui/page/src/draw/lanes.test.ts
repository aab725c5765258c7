import assert from "node:assert/strict";
import test from "node:test";
import { laned, pathTo } from "./lanes.ts";

const shapes = (text: string) =>
  text.split(" ").map((word) => {
    const [id = "", parent] = word.split("<");
    return parent === undefined ? { id } : { id, parent };
  });

const drawn = (text: string) =>
  laned(shapes(text)).rows.map(({ id, lane, parentRow }) => `${id}${lane}^${parentRow}`).join(" ");

test("rows and lanes of small trees", () => {
  const cases: [string, string][] = [
    ["a", "a0^-1"],
    ["a b<a c<b", "a0^-1 b0^0 c0^1"],
    // The second continuation opens a lane; the first is drawn to its end before.
    ["a b<a c<a d<b", "a0^-1 b0^0 d0^1 c1^0"],
    // The lane of x ends before y begins further up, so y needs one beyond it.
    ["a b<a x<b y<b z<a", "a0^-1 b0^0 x0^1 y1^1 z2^0"],
    // Siblings of a finished branch use its lane again.
    ["a b<a c<b d<b e<c", "a0^-1 b0^0 c0^1 e0^2 d1^1"],
    // A part of a tree: the parent is on another page.
    ["c<b d<c", "c0^-1 d0^0"],
  ];
  for (const [text, expected] of cases) assert.equal(drawn(text), expected, text);
});

test("no two lines of different branches share a lane at the same row", () => {
  const { rows } = laned(shapes("a b<a c<a d<a e<b f<b g<c h<c i<e j<d k<d"));
  const spans = rows.filter((row) => row.parentRow >= 0).map((row) => ({
    lane: row.lane,
    from: row.parentRow + 1,
    to: rows.indexOf(row),
    parentLane: rows[row.parentRow]!.lane,
  }));
  for (const one of spans) {
    const inside = rows.slice(one.from, one.to).filter((row) => row.lane === one.lane);
    assert.deepEqual(one.parentLane === one.lane ? [] : inside, []);
  }
});

test("a conversation of 20,000 messages is one lane", () => {
  const long = Array.from({ length: 20_000 }, (_, at) =>
    at === 0 ? { id: "0" } : { id: String(at), parent: String(at - 1) });
  const { rows, lanes } = laned(long);
  assert.equal(rows.length, 20_000);
  assert.equal(lanes, 1);
  assert.equal(pathTo(long, "19999").length, 20_000);
});

test("parents that go in circles end", () => {
  assert.equal(laned([{ id: "a", parent: "b" }, { id: "b", parent: "a" }]).rows.length, 0);
  assert.deepEqual(pathTo([{ id: "a", parent: "b" }, { id: "b", parent: "a" }], "a"), ["b", "a"]);
});

test("the path to a node", () => {
  const tree = shapes("a b<a c<a d<b");
  assert.deepEqual(pathTo(tree, "d"), ["a", "b", "d"]);
  assert.deepEqual(pathTo(tree, "a"), ["a"]);
  assert.deepEqual(pathTo(tree, "none"), []);
});
