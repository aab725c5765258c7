import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../types.ts";
import { gridOf, imageUri, linkOf, pieces } from "./safe.ts";

test("only four kinds of images, and only base64", () => {
  assert.equal(imageUri("image/PNG", "aGk="), "data:image/png;base64,aGk=");
  for (const [type, data] of [["image/svg+xml", "aGk="], ["text/html", "aGk="], ["image/png", 'x" onerror="'], ["image/png,", "aGk="], ["image/png", ""], [1, "aGk="], ["image/png", undefined]] as [Json, Json | undefined][]) {
    assert.equal(imageUri(type, data), null, String(type));
  }
});

test("only plain http and https are links", () => {
  assert.equal(linkOf("https://example.org/a?b#c"), "https://example.org/a?b#c");
  for (const text of ["javascript:alert(1)", "JAVASCRIPT:alert(1)", " https://x", "https://a b", "data:text/html,x", "ftp://x", "//x", "https://", "https://example.org@evil.test/", "java\nscript:x", "https://x/\u202e", "file:///etc/passwd", `https://x/${"a".repeat(3000)}`]) {
    assert.equal(linkOf(text), null, text);
  }
});

test("addresses in text become links without the marks around them", () => {
  assert.deepEqual(pieces("see (https://a.test/x). javascript:alert(1)"), [
    { kind: "text", text: "see (" },
    { kind: "link", text: "https://a.test/x" },
    { kind: "text", text: "). javascript:alert(1)" },
  ]);
  assert.deepEqual(pieces(""), []);
});

test("no text is lost, and links are bounded", () => {
  const text = Array.from({ length: 500 }, (_, index) => `http://h${index}.test`).join(" ");
  const cut = pieces(text);
  assert.equal(cut.map((piece) => piece.text).join(""), text);
  assert.equal(cut.filter((piece) => piece.kind === "link").length, 200);
});

test("lists of flat objects are tables", () => {
  assert.deepEqual(gridOf([{ a: 1 }, { a: 2, b: null }])?.columns, ["a", "b"]);
  assert.deepEqual(gridOf({ result: [{ a: 1 }] })?.rows, [{ a: 1 }]);
  for (const value of [[], [1], [{ a: [] }], [{ a: {} }], {}, { a: [{ b: 1 }], c: 1 }, "x", null, [[]], [null]] as Json[]) {
    assert.equal(gridOf(value), null, JSON.stringify(value));
  }
});
