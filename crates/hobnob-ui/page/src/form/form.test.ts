import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../types.ts";
import { type Draft, draftOfMembers, initialDraft, readForm, stillHolding } from "./draft.ts";
import { formOf, type Member } from "./schema.ts";

function members(properties: JsonObject, required: string[] = [], more: JsonObject = {}): Member[] {
  const form = formOf({ type: "object", properties, required, ...more });
  assert.ok(form);
  return form;
}

function checkKind(schema: JsonObject, kind: string, more: JsonObject = {}): void {
  assert.equal(members({ it: schema }, [], more)[0]?.field.kind, kind, JSON.stringify(schema));
}

test("schemas become fields, and the rest becomes raw JSON", () => {
  checkKind({ type: "string" }, "text");
  checkKind({ type: ["string", "null"] }, "text");
  checkKind({ anyOf: [{ type: "integer" }, { type: "null" }] }, "number");
  checkKind({ anyOf: [{ $ref: "#/$defs/B" }, { type: "null" }] }, "boolean", { $defs: { B: { type: "boolean" } } });
  checkKind({ enum: ["a", 1, null] }, "choice");
  checkKind({ oneOf: [{ const: "a" }, { const: "b" }] }, "choice");
  checkKind({ type: "array", items: { type: "string" } }, "list");
  checkKind({ type: "object", properties: { x: { type: "number" } } }, "object");
  checkKind({ type: "object", additionalProperties: { type: "string" } }, "json");
  checkKind({ type: "array" }, "json");
  checkKind({ anyOf: [{ type: "string" }, { type: "number" }] }, "json");
  checkKind({ $ref: "https://elsewhere/schema" }, "json");
  checkKind({}, "json");
});

test("a schema that contains itself ends", () => {
  const form = members({ node: { $ref: "#/$defs/N" } }, [], { $defs: { N: { type: "object", properties: { next: { $ref: "#/$defs/N" } } } } });
  assert.equal(form[0]?.field.kind, "object");
  assert.equal(formOf({ $ref: "#" }), null);
  assert.equal(formOf({ $ref: "#/a", a: { $ref: "#/a" } }), null);
});

test("required arguments come first", () => {
  assert.deepEqual(members({ a: {}, b: {}, c: {} }, ["c"]).map(({ name }) => name), ["c", "a", "b"]);
});

function checkRead(form: Member[], draft: Draft, value: unknown, problems: string[] = []): void {
  const read = readForm(form, draft);
  assert.deepEqual(read.problems.map(({ path }) => path), problems);
  if (problems.length === 0) assert.deepEqual(read.value, value);
}

test("what is left empty is not sent, unless it is required", () => {
  const form = members({ name: { type: "string" }, size: { type: "integer" }, deep: { type: "object", properties: { x: { type: "string" } } } }, ["name"]);
  checkRead(form, undefined, null, ["name"]);
  checkRead(form, { name: "" }, { name: "" });
  checkRead(form, { name: "n", size: " 3 ", deep: { x: "" } }, { name: "n", size: 3 });
  checkRead(form, { name: "n", deep: { x: "y" } }, { name: "n", deep: { x: "y" } });
});

test("what cannot be sent names its place", () => {
  const form = members({ n: { type: "integer" }, list: { type: "array", items: { type: "number" } }, raw: {} });
  for (const n of ["1.5", "0x10", "1e400", "Infinity", "9007199254740993"]) checkRead(form, { n }, null, ["n"]);
  checkRead(form, { list: ["1", "two"], raw: "{" }, null, ["list[1]", "raw"]);
  checkRead(form, { list: ["1", "2e3"], raw: '{"a":[1]}' }, { list: [1, 2000], raw: { a: [1] } });
});

test("names that mean something to JavaScript are names like others", () => {
  const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}') as JsonObject;
  const form = members(properties);
  assert.equal(JSON.stringify(readForm(form, JSON.parse('{"__proto__":"p"}') as Draft).value), '{"__proto__":"p"}');
  checkRead(form, {}, {});
});

test("a value can be edited in the form again", () => {
  const form = members({ s: { type: "string" }, n: { type: "number" }, e: { enum: ["a", "b"] }, l: { type: "array", items: { type: "boolean" } }, o: { type: "object", properties: { x: {} } } });
  const value = { s: "x", n: 1.5, e: "b", l: [true, false], o: { x: [1, "2"] } };
  assert.deepEqual(readForm(form, draftOfMembers(form, value)).value, value);
});

test("a form starts with what is required and known", () => {
  const form = members(
    {
      count: { type: "integer", default: 1 },
      mode: { enum: ["only"] },
      kind: { const: 7 },
      size: { enum: ["s", "l"], default: "l" },
      odd: { enum: ["s", "l"], default: "huge" },
      deep: { type: "object", properties: { x: { type: "boolean", default: false } }, required: ["x"] },
      name: { type: "string", default: 3 },
      optional: { type: "string", default: "left to the server" },
      one: { enum: ["only"] },
    },
    ["count", "mode", "kind", "size", "odd", "deep", "name"],
  );
  const draft = initialDraft(form);
  assert.deepEqual(draft, { count: "1", mode: '"only"', kind: "7", size: '"l"', deep: { x: false } });
  checkRead(form, draft, null, ["odd", "name"]);
});

test("a corrected field is no longer complained about, and others are not yet", () => {
  const form = members({ a: { type: "integer" }, b: { type: "integer" } }, ["a"]);
  const said = readForm(form, {}).problems;
  assert.deepEqual(said.map(({ path }) => path), ["a"]);
  const paths = (draft: Draft) => stillHolding(said, readForm(form, draft).problems).map(({ path }) => path);
  assert.deepEqual(paths({ a: "x" }), ["a"]);
  assert.deepEqual(paths({ a: "1", b: "x" }), []);
});
