import assert from "node:assert/strict";
import test from "node:test";
import { branchEnd, markedPath, outlined } from "./outline.ts";
import type { Shape } from "./tools.ts";

const shapes = (text: string): Shape[] => {
  const nodes = text.split(" ").map((word) => {
    const [node_id = "", parent_id] = word.split("<");
    return { node_id, ...(parent_id === undefined ? {} : { parent_id }), depth: 0, children: 0, kind: "text" };
  });
  for (const node of nodes) node.children = nodes.filter((one) => one.parent_id === node.node_id).length;
  return nodes;
};

test("the straight conversation, its end and the number of ends", () => {
  const outline = outlined(shapes("a b<a c<b x<a y<x"));
  assert.equal(outline.end, "c");
  assert.equal(outline.leaves, 2);
  assert.deepEqual([...markedPath(outline, "y")], ["a", "x", "y"]);
  assert.equal(markedPath(outline, undefined).size, 0);
});

test("a branch goes on with its first continuation", () => {
  const outline = outlined(shapes("a b<a c<b x<a y<x z<x"));
  const cases = [["a", "c"], ["b", "c"], ["x", "y"], ["z", "z"], ["none", "none"]] as const;
  for (const [node, end] of cases) assert.equal(branchEnd(outline, node), end);
});

test("a tree without nodes has no end", () => {
  assert.equal(outlined([]).end, undefined);
});
