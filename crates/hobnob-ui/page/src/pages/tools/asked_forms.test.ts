import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../types.ts";
import { askedForms } from "./asked_forms.ts";

const asks = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  inputRequests: { key: { method: "elicitation/create", params: { message: "Sure?", requestedSchema: { type: "object", properties }, ...more } } },
});

test("a permission is a choice of Hobnob's", () => {
  const options = [
    { const: "once", title: "Yes" },
    { const: "no", title: "No" },
  ];
  const forms = askedForms(asks({ answer: { type: "string", oneOf: options } }, { _meta: { "hobnob/asked-by": { origin: "hobnob" } } }));
  assert.deepEqual(forms?.[0]?.choice, {
    name: "answer",
    options: [
      { value: "once", title: "Yes" },
      { value: "no", title: "No" },
    ],
  });
  assert.equal(forms?.[0]?.byHobnob, true);
});

test("what is no list of words is a form or nothing", () => {
  assert.equal(askedForms(asks({ a: { type: "string" }, b: { type: "string" } }))?.[0]?.choice, null);
  assert.equal(askedForms(asks({ a: { enum: [1, 2] } }))?.[0]?.choice, null);
  assert.equal(askedForms(asks({}))?.[0]?.byHobnob, false);
  assert.equal(askedForms({ inputRequests: { key: { method: "sampling/createMessage", params: {} } } }), null);
  assert.equal(askedForms({}), null);
});
