import assert from "node:assert/strict";
import { test } from "node:test";
import { href, parseRoute } from "./router.ts";

test("addresses and routes are inverse to each other", () => {
  for (const rest of [[], ["a"], ["a/b", "ü %#?"]]) {
    assert.deepEqual(parseRoute(href("servers", ...rest)), { page: "servers", rest });
  }
});

test("any address is a route", () => {
  assert.deepEqual(parseRoute(""), { page: "", rest: [] });
  assert.deepEqual(parseRoute("#now"), { page: "now", rest: [] });
  assert.deepEqual(parseRoute("#/x/%E0%A4%A"), { page: "x", rest: ["%E0%A4%A"] });
});
