import assert from "node:assert/strict";
import test from "node:test";
import type { McpAnswer } from "../../types.ts";
import { dataOf, given, ToolFailure } from "./own_tools.ts";

test("the data of an answer is its structured content", () => {
  const answer: McpAnswer = {
    result: { content: [{ type: "text", text: "{}" }], structuredContent: { count: 0 } },
  };
  assert.deepEqual(dataOf("tasks", "list", answer), { count: 0 });
});

test("each failure says what it is", () => {
  const cases: [McpAnswer, string, RegExp][] = [
    [{ error: { code: -32602, message: "Unknown tool: memory_recall" } }, "off", /Unknown tool/],
    [{ error: { code: -32602, message: "tool `memory_get` is denied by a rule" } }, "failed", /denied/],
    [{ result: { isError: true, content: [{ type: "text", text: "memory not found: x" }] } }, "failed", /not found: x/],
    [{ result: { isError: true } }, "failed", /did not say why/],
    [{ result: { content: [{ type: "text", text: "hello" }] } }, "failed", /without data/],
    [{ result: { structuredContent: null } }, "failed", /without data/],
    [{ input_required: {} }, "asks", /before memory_get runs/],
  ];
  for (const [answer, refusal, words] of cases) {
    assert.throws(() => dataOf("memory", "get", answer), (error) => {
      assert.ok(error instanceof ToolFailure);
      assert.equal(error.refusal, refusal, JSON.stringify(answer));
      assert.match(error.message, words);
      return true;
    });
  }
});

test("arguments without a value are not sent", () => {
  assert.deepEqual(given({ a: undefined, b: "", c: 0, d: false, e: [], f: null }), {
    b: "", c: 0, d: false, e: [], f: null,
  });
});
