import assert from "node:assert/strict";
import { test } from "node:test";
import type { EndedCall } from "../../types.ts";
import { matches, words } from "./filter.ts";

const CALL: EndedCall = {
  id: 1, at: "", method: "tools/call", target: "mcp__files__Read", server: "files", principal: "ada", client: "Claude Code", via: null, own_page: false,
  outcome: "tool_error", code: null, duration_us: 1, request_bytes: 1, result_bytes: 1,
};

test("every word has to occur, in any field and any case", () => {
  for (const [text, expected] of [["", true], ["  ", true], ["read CLAUDE", true], ["ada tool error", true], ["read bob", false], ["null", false]] as const) {
    assert.equal(matches(CALL, words(text)), expected, text);
  }
});
