import assert from "node:assert/strict";
import test from "node:test";
import { labelsOf } from "./tools.ts";

const id = (letter: string) => `node_${letter.repeat(16)}`;

test("labels are read from the lines of a drawing", () => {
  const lines = [
    `${id("a")} system: You are a careful gardener.`,
    `├─ ${id("b")} assistant: In late winter.`,
    `│  └─ ${id("c")} → git 4f2a`,
    `…12 │     ├─ ${id("d")} user:`,
    `└─ ${id("e")}`,
    // What a node says may look like a line of the drawing, but it is not at the beginning.
    `   ${id("f")} user: ├─ ${id("g")} user: no`,
    "not a node",
    "",
  ];
  assert.deepEqual(
    [...labelsOf(lines)],
    [
      [id("a"), "system: You are a careful gardener."],
      [id("b"), "assistant: In late winter."],
      [id("c"), "→ git 4f2a"],
      [id("d"), "user:"],
      [id("e"), ""],
      [id("f"), `user: ├─ ${id("g")} user: no`],
    ],
  );
});
