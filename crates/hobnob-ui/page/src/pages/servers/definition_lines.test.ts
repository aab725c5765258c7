import assert from "node:assert/strict";
import { test } from "node:test";
import { definitionLines } from "./definition_lines.ts";
import { loginLink } from "./login_link.ts";

test("texts break where they have line ends, and nowhere else", () => {
  const lines = (value: unknown) => definitionLines(JSON.stringify(value)).split("\n");
  assert.deepEqual(lines("one\ntwo"), ['"one\\n', 'two"']);
  assert.deepEqual(lines("one\\ntwo"), ['"one\\\\ntwo"']);
  assert.deepEqual(lines("one\\\ntwo"), ['"one\\\\\\n', 'two"']);
});

test("a login page is encrypted or on this machine", () => {
  for (const page of ["https://login.example/a?b=c", "http://127.0.0.1:4000/a", "http://localhost/a", "http://[::1]:1/"]) {
    assert.notEqual(loginLink(page), null, page);
  }
  for (const page of ["http://login.example/", "http://127.0.0.1.example/", "javascript:alert(1)", "https://a@b.example/", "data:text/html,x", "", "https://a b"]) {
    assert.equal(loginLink(page), null, page);
  }
});
