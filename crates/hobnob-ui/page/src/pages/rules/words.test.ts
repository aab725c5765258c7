import assert from "node:assert/strict";
import { test } from "node:test";
import { actionWords, callersText, knownCallers, matchesText, placeText } from "./words.ts";

test("a rule says whom it is about and where it stands", () => {
  const groups = [{ name: "dev", members: ["ann", "bob"] }];
  assert.equal(callersText({ principal: null, group: null }, groups), "everybody");
  assert.equal(callersText({ principal: "ann", group: null }, groups), "ann");
  assert.equal(callersText({ principal: null, group: "dev" }, groups), "group dev (ann, bob)");
  assert.equal(callersText({ principal: null, group: "ops" }, groups), "group ops (nobody)");
  assert.equal(placeText({ number: 3, profile: null, line: 12 }), "config.toml, rule 3, line 12");
  assert.equal(placeText({ number: 1, profile: "work", line: null }), "profile work, rule 1");
});

test("a rule that matches nothing is odd, one for a server that never ran is not", () => {
  assert.deepEqual(matchesText({ matches: 2, unlisted: [] }), { text: "2 tools", odd: false });
  assert.deepEqual(matchesText({ matches: 0, unlisted: ["git"] }), { text: "not known yet: git never ran", odd: false });
  assert.deepEqual(matchesText({ matches: 0, unlisted: [] }), { text: "nothing now", odd: true });
});

test("an unknown action and names of prototypes are only words", () => {
  for (const word of ["__proto__", "constructor", "later"]) assert.equal(actionWords(word).title, word);
  assert.equal(actionWords("deny").tone, "bad");
});

test("callers are named once", () => {
  const token = { id: "i", name: "ann", principal: "token:ann", scopes: [], profile: null, created: "", expires: null, last_used: null, digest: "" };
  const rule = { number: 1, profile: null, line: null, text: "", tools: "x", pattern: null, principal: "ann", group: null, action: "deny" as const, examples: [], matches: 0, unlisted: [], uses: 0, last_used: null };
  const groups = [{ name: "dev", members: ["ann", "bob"] }];
  const logins = { users: [{ name: "cid", role: "member", profiles: [], in_terminal: false, created: "" }], open: [], problem: null };
  assert.deepEqual(knownCallers({ rules: [rule], groups, tokens: [token], logins }), ["ann", "bob", "cid", "token:ann"]);
});
