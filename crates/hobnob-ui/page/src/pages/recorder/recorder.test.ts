import assert from "node:assert/strict";
import { test } from "node:test";
import type { Recording } from "../../types.ts";
import { isSame, leftText, subjectText } from "./actions.ts";
import { wayText } from "./ways.ts";

const recording: Recording = {
  id: 1,
  subject: { server: "shop" },
  started: "2026-01-02T03:00:00Z",
  ends: "2026-01-02T03:10:00Z",
  total: 0,
  kept: 0,
  bytes: 0,
};

test("a recording says how long it still runs", () => {
  const at = (time: string) => leftText(recording, Date.parse(time));
  assert.equal(at("2026-01-02T03:00:20Z"), "9 min 40 s");
  assert.equal(at("2026-01-02T03:09:59.5Z"), "1 s");
  assert.equal(at("2026-01-02T03:11:00Z"), "ending");
});

test("names of servers and clients are shown as text without hidden characters", () => {
  assert.equal(subjectText({ client: "a\u202eb" }), "client a\\u{202e}b");
  assert.equal(subjectText("all-clients"), "all clients");
  assert.equal(subjectText({ server: "x".repeat(100) }).length, "server ".length + 60);
});

test("a server and a client of one name are two subjects", () => {
  assert.ok(isSame({ server: "a" }, { server: "a" }));
  assert.ok(!isSame({ server: "a" }, { client: "a" }));
});

test("a message goes from one side to the other", () => {
  assert.equal(wayText({ side: "client", direction: "received" }), "client → Hobnob");
  assert.equal(wayText({ side: "server", direction: "sent" }), "Hobnob → server");
});
