import assert from "node:assert/strict";
import test from "node:test";
import { type Edge, layered } from "./layers.ts";

const edges = (text: string): Edge[] =>
  text.split(" ").filter(Boolean).map((pair) => {
    const [from = "", to = ""] = pair.split(">");
    return { from, to };
  });

const columns = (nodes: string, pairs: string): string[] => {
  const { places, columns } = layered(nodes.split(" "), edges(pairs));
  const rows: string[][] = Array.from({ length: columns }, () => []);
  for (const [node, { column, row }] of places) rows[column]![row] = node;
  return rows.map((row) => row.join(""));
};

test("a node stands right of everything it waits for", () => {
  const cases: [string, string, string[]][] = [
    ["a", "", ["a"]],
    ["a b c", "a>b b>c", ["a", "b", "c"]],
    ["a b c", "a>c b>c", ["ab", "c"]],
    ["a b c d", "a>b b>d a>d c>d", ["ac", "b", "d"]],
    // Nodes and edges may come in any order.
    ["c b a", "b>c a>b", ["a", "b", "c"]],
    // An end that is not among the nodes, and an edge to itself.
    ["a b", "a>b x>a b>y a>a", ["a", "b"]],
  ];
  for (const [nodes, pairs, expected] of cases) {
    assert.deepEqual(columns(nodes, pairs), expected, `${nodes}: ${pairs}`);
  }
});

test("crossings are removed where a sweep can", () => {
  // a feeds d, b feeds c: c must stand below d.
  assert.deepEqual(columns("a b c d", "a>d b>c"), ["ab", "dc"]);
});

test("an edge that passes a column has a place of its own there", () => {
  const cases: [string, string, number][] = [
    // nodes, edges → places that a>z passes
    ["a b c z", "a>b b>c c>z a>z", 2],
    ["a b z", "a>b b>z a>z", 1],
    ["a z", "a>z", 0],
  ];
  for (const [nodes, pairs, passed] of cases) {
    const { places, routes, rows } = layered(nodes.split(" "), edges(pairs));
    const through = routes.find((route) => route.from === "a" && route.to === "z")!.through;
    assert.equal(through.length, passed, pairs);
    const taken = [...places.values()].map(({ column, row }) => `${column}/${row}`);
    for (const { column, row } of through) {
      assert.ok(!taken.includes(`${column}/${row}`), "a box covers the edge");
      assert.ok(row < rows);
    }
    assert.equal(places.size, nodes.split(" ").length);
  }
});

test("edges from one node share the places that they pass", () => {
  const { routes, rows } = layered("a b c x y".split(" "), edges("a>b b>c c>x c>y a>x a>y"));
  const [first, second] = routes.filter((route) => route.from === "a" && "xy".includes(route.to));
  assert.deepEqual(first!.through, second!.through);
  assert.equal(rows, 2);
});

test("a cycle ends, and every node has a place of its own", () => {
  const { places } = layered(["a", "b", "c", "d"], edges("a>b b>c c>a c>d"));
  const spots = [...places.values()].map(({ column, row }) => `${column}/${row}`);
  assert.equal(new Set(spots).size, 4);
  assert.ok(places.get("d")!.column > places.get("c")!.column);
});

test("a chain of 5,000 nodes is laid out", () => {
  const nodes = Array.from({ length: 5000 }, (_, at) => String(at));
  const chain = nodes.slice(1).map((to, at) => ({ from: String(at), to }));
  assert.equal(layered(nodes, chain).columns, 5000);
});
