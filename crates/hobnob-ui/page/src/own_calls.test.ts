import assert from "node:assert/strict";
import { test } from "node:test";
import { isOwnRead } from "./own_calls.ts";
import type { EndedCall } from "./types.ts";

const READ: EndedCall = {
  id: 1, at: "2026-03-01T00:00:00Z", method: "tools/call", target: "memory_recall", server: null, principal: "",
  client: "hobnob page", via: null, own_page: true, outcome: "ok", code: null, duration_us: 1, request_bytes: 1, result_bytes: 1,
};

function check(more: Partial<EndedCall>, expected: boolean): void {
  assert.equal(isOwnRead({ ...READ, ...more }), expected, JSON.stringify(more));
}

test("only reads of the page itself are left out, whatever a client calls itself", () => {
  check({}, true);
  check({ client: null }, true);
  check({ outcome: "cancelled" }, true);
  check({ own_page: false }, false);
  check({ client: "Cursor", own_page: false }, false);
  check({ server: "files", target: "mcp__files__write" }, false);
  check({ target: "mcp__files__write" }, false);
  check({ via: "cone" }, false);
  check({ method: "resources/read" }, false);
  check({ outcome: "refused" }, false);
  const { outcome: _, ...running } = READ;
  assert.ok(isOwnRead(running));
});
