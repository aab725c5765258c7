import assert from "node:assert/strict";
import { test } from "node:test";
import { grouped } from "./listed.ts";

const listed = (...names: string[]) => names.map((name) => ({ name, about: "" }));

test("servers' tools come first, and Hobnob's own last", () => {
  const tools = listed("find_tools", "memory_get", "mcp__shop__order", "mcp__a__b__c", "mcp__gone__x", "mcp__odd", "__proto__");
  const servers = [
    { name: "a__b", tools: 1 },
    { name: "shop", tools: 500 },
    { name: "off", tools: 0 },
  ];
  const groups = grouped(tools, servers).map(({ server, tools: own, unlisted }) => [server, own.map(({ name }) => name), unlisted]);
  assert.deepEqual(groups, [
    ["a__b", ["mcp__a__b__c"], 0],
    ["shop", ["mcp__shop__order"], 499],
    ["gone", ["mcp__gone__x"], 0],
    [null, ["memory_get", "mcp__odd", "__proto__", "find_tools"], 0],
  ]);
  assert.deepEqual(grouped([], []), []);
});
