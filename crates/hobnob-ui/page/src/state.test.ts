import assert from "node:assert/strict";
import { test } from "node:test";
import { applyAnswer, applyCalls, applyChanged, applyProgress, applyState, changes, MAX_RECENT, questions, recent, running, waitingCount } from "./state.ts";
import type { Call, Changed, EndedCall, OwnerQuestion, State } from "./types.ts";

function call(id: number): Call {
  return { id, at: "2026-11-19T10:00:00Z", method: "tools/call", target: `t${id}`, server: "s", principal: "", client: null, via: null, own_page: false };
}
function ended(id: number): EndedCall {
  return { ...call(id), outcome: "ok", code: null, duration_us: 1, request_bytes: 1, result_bytes: 1 };
}
const question: OwnerQuestion = {
  number: 1, principal: "p", address: null, via: null, client: null, own: false, server: null, tool: "t", public: "t", arguments: "absent", because: "b", age: 0,
  answer: null, always_writes: null, never_writes: null, after_yes: "call-again",
};
function state(): State {
  return {
    status: { version: "1", pid: 1, instance: "i", project: "p", servers: [] },
    running: [call(1)],
    recent: [ended(0)],
    questions: [question],
    waiting: { approvals: [], changed_tools: [{ server: "s", tool: "t", how: "h" }], logins: [] },
  };
}

test("calls begin, end, and the ended ones are bounded", () => {
  applyState(state());
  applyCalls({ begun: [call(2)], ended: [ended(1), ended(3)], dropped: 0 });
  assert.deepEqual([...running.value.keys()], [2]);
  assert.deepEqual(recent.value.map(({ id }) => id), [0, 1, 3]);
  applyCalls({ begun: [], ended: Array.from({ length: 800 }, (_, index) => ended(10 + index)), dropped: 5 });
  assert.equal(recent.value.length, MAX_RECENT);
  assert.equal(recent.value.at(-1)?.id, 809);
});

test("a frame that overlaps with the state changes nothing twice", () => {
  applyState({ ...state(), running: [], recent: [ended(1)] });
  applyCalls({ begun: [call(1)], ended: [ended(1)], dropped: 0 });
  applyCalls({ begun: [call(1)], ended: [], dropped: 0 });
  assert.equal(running.value.size, 0);
  assert.equal(recent.value.length, 1);
});

test("an answered question no longer counts as waiting", () => {
  applyState(state());
  assert.equal(waitingCount.value, 2);
  applyAnswer({ ...question, answer: "no" });
  assert.equal(waitingCount.value, 1);
  assert.equal(questions.value.length, 1);
});

test("changes are counted, and unknown kinds do no harm", () => {
  const before = changes.memory.value;
  applyChanged(["memory", "novelty" as Changed]);
  assert.equal(changes.memory.value, before + 1);
});

test("progress is of running calls only", () => {
  applyState({ ...state(), recent: [] });
  const progress = { at: 1, total: 4, message: "reading" };
  applyProgress([
    { id: 1, progress },
    { id: 2, progress },
  ]);
  assert.deepEqual([...running.value.values()].map((one) => [one.id, one.progress]), [[1, progress]]);
  applyCalls({ begun: [], ended: [ended(1)], dropped: 0 });
  applyProgress([{ id: 1, progress }]);
  assert.equal(running.value.size, 0);
});
