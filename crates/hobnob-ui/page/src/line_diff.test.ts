import assert from "node:assert/strict";
import { test } from "node:test";
import { type DiffLine, lineDiff } from "./line_diff.ts";

const SIGNS = { same: " ", removed: "-", added: "+", skipped: "~" };
const show = (lines: DiffLine[]) => lines.map((line) => SIGNS[line.kind] + line.text).join("|");

function check(before: string, after: string, expected: string): void {
  assert.equal(show(lineDiff(before, after)), expected);
}

test("changes between equal lines", () => {
  check("a\nb\nc", "a\nx\nc", " a|-b|+x| c");
  check("", "a\nb", "+a|+b");
  check("a\nb", "", "-a|-b");
  check("a", "a", "~1 equal lines");
  check("a\nb\nc\nd", "b\nd\ne", "-a| b|-c| d|+e");
});

test("equal lines far from a change are left out", () => {
  const many = Array.from({ length: 20 }, (_, line) => `${line}`);
  check(many.join("\n"), many.join("\n") + "\nnew", "~17 equal lines| 17| 18| 19|+new");
});

test("a diff that would be too large still shows every line", () => {
  const before = Array.from({ length: 2000 }, (_, line) => `old ${line}`).join("\n");
  const after = Array.from({ length: 2000 }, (_, line) => `new ${line}`).join("\n");
  const lines = lineDiff(before, after);
  assert.equal(lines.filter((line) => line.kind === "removed").length, 2000);
  assert.equal(lines.filter((line) => line.kind === "added").length, 2000);
});

test("both texts can be read back from a diff", () => {
  const words = ["a", "b", "c"];
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
  for (let round = 0; round < 300; round += 1) {
    const text = () => Array.from({ length: random(7) }, () => words[random(3)]).join("\n");
    const [before, after] = [text(), text()];
    const lines = lineDiff(before, after);
    if (lines.some((line) => line.kind === "skipped")) continue;
    const side = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === "same" || line.kind === kind).map((line) => line.text).join("\n");
    assert.equal(side("removed"), before);
    assert.equal(side("added"), after);
  }
});
