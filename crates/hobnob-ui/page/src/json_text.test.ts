import assert from "node:assert/strict";
import { test } from "node:test";
import { prettyJson, visibleJson } from "./json_text.ts";

function check(text: string, expected: string): void {
  assert.equal(prettyJson(text), expected);
}

test("every token stays as it was written", () => {
  check('{"n":1.0e+5,"big":12345678901234567890,"s":"\\u0041\\n\\"{,"}', '{\n  "n": 1.0e+5,\n  "big": 12345678901234567890,\n  "s": "\\u0041\\n\\"{,"\n}');
  check('{ "b":1, "a":[ ], "a":{} }', '{\n  "b": 1,\n  "a": [],\n  "a": {}\n}');
  check("[1,[2,true],null]", "[\n  1,\n  [\n    2,\n    true\n  ],\n  null\n]");
});

test("what is no JSON is shown as it is", () => {
  check("{not json", "{not json");
  check("", "");
});

test("characters that hide text become escapes that mean the same", () => {
  const hostile = '{"cmd":"rm \u202e\u200b\u{e0041}"}';
  assert.equal(visibleJson(hostile), '{"cmd":"rm \\u202e\\u200b\\udb40\\udc41"}');
  assert.deepEqual(JSON.parse(visibleJson(hostile)), JSON.parse(hostile));
});
