// A JSON Schema as fields of a form. What a form cannot say becomes a field of raw JSON. Pure.

import type { Json, JsonObject } from "../types.ts";

export type Field =
  | { kind: "text"; long: boolean }
  | { kind: "number"; whole: boolean }
  | { kind: "boolean" }
  | { kind: "choice"; values: Json[] }
  | { kind: "list"; item: Field }
  | { kind: "object"; members: Member[] }
  | { kind: "json" };

export type Member = {
  name: string;
  title: string;
  about: string;
  required: boolean;
  /** The value that the schema gives as the default. */
  preset: Json | undefined;
  field: Field;
};

const MAX_DEPTH = 5;
const MAX_MEMBERS = 200;
const LONG_NAMES = /content|text|body|query|prompt|message|code|script|description|new_str|old_str/i;

function object(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** The schema that a local `$ref` names, at most a few steps away. */
function resolved(schema: JsonObject, root: JsonObject): JsonObject | null {
  let current = schema;
  for (let step = 0; step < 8; step += 1) {
    const ref = current["$ref"];
    if (typeof ref !== "string") return current;
    if (!ref.startsWith("#/")) return null;
    let at: unknown = root;
    for (const part of ref.slice(2).split("/")) {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      const from = object(at);
      at = from && Object.hasOwn(from, name) ? from[name] : null;
    }
    const next = object(at);
    if (!next) return null;
    current = next;
  }
  return null;
}

/** The one type of a schema that is otherwise only `null`: `["string", "null"]`, `anyOf: [X, null]`. */
function withoutNull(schema: JsonObject, root: JsonObject): JsonObject {
  for (const key of ["anyOf", "oneOf"]) {
    const choices = schema[key];
    if (!Array.isArray(choices)) continue;
    const others = choices.map(object).filter((choice) => choice !== null && choice["type"] !== "null");
    const only = others[0];
    if (others.length === 1 && only && others.length < choices.length) return resolved(only, root) ?? schema;
  }
  return schema;
}

function typeOf(schema: JsonObject): string | null {
  const type = schema["type"];
  if (typeof type === "string") return type;
  if (!Array.isArray(type)) return object(schema["properties"]) ? "object" : null;
  const others = type.filter((one) => one !== "null");
  return others.length === 1 && typeof others[0] === "string" ? others[0] : null;
}

function fieldOf(given: unknown, root: JsonObject, name: string, depth: number): Field {
  const raw = object(given);
  const found = raw && resolved(raw, root);
  if (!found || MAX_DEPTH < depth) return { kind: "json" };
  const schema = withoutNull(found, root);
  const choices = choicesOf(schema);
  if (choices) return { kind: "choice", values: choices };
  if (["anyOf", "oneOf", "allOf", "not", "if"].some((key) => key in schema)) return { kind: "json" };
  switch (typeOf(schema)) {
    case "string": {
      const max = schema["maxLength"];
      return { kind: "text", long: LONG_NAMES.test(name) || (typeof max === "number" && 200 < max) };
    }
    case "integer":
      return { kind: "number", whole: true };
    case "number":
      return { kind: "number", whole: false };
    case "boolean":
      return { kind: "boolean" };
    case "array": {
      const item = fieldOf(schema["items"], root, name, depth + 1);
      return item.kind === "json" ? { kind: "json" } : { kind: "list", item };
    }
    case "object": {
      const members = membersOf(schema, root, depth + 1);
      return members ? { kind: "object", members } : { kind: "json" };
    }
    default:
      return { kind: "json" };
  }
}

function choicesOf(schema: JsonObject): Json[] | null {
  if ("const" in schema) return [schema["const"] ?? null];
  const values = schema["enum"];
  if (Array.isArray(values) && values.length > 0) return values;
  const one = schema["oneOf"];
  if (!Array.isArray(one) || one.length === 0) return null;
  const consts = one.map(object).map((choice) => (choice && Object.hasOwn(choice, "const") ? choice : null));
  return consts.every((choice) => choice !== null) ? consts.map((choice) => choice["const"] ?? null) : null;
}

function membersOf(schema: JsonObject, root: JsonObject, depth: number): Member[] | null {
  const properties = object(schema["properties"]);
  // An object of unnamed members cannot be a form.
  if (!properties || MAX_MEMBERS < Object.keys(properties).length) return null;
  const list = schema["required"];
  const required = new Set(Array.isArray(list) ? list : []);
  const members = Object.entries(properties).map(([name, given]): Member => {
    const own = object(given) ?? {};
    const said = { ...(resolved(own, root) ?? {}), ...own };
    const text = (key: string) => (typeof said[key] === "string" ? said[key] : "");
    return {
      name,
      title: text("title"),
      about: text("description"),
      required: required.has(name),
      preset: Object.hasOwn(said, "default") ? said["default"] : undefined,
      field: fieldOf(given, root, name, depth),
    };
  });
  return [...members.filter((member) => member.required), ...members.filter((member) => !member.required)];
}

/** The fields of a tool's arguments; `null` if only raw JSON can say them. */
export function formOf(schema: JsonObject): Member[] | null {
  const root = resolved(schema, schema);
  if (!root) return null;
  if (["anyOf", "oneOf", "allOf", "if"].some((key) => key in root)) return null;
  const properties = object(root["properties"]);
  // A tool without arguments has an empty form.
  if (!properties) return root["additionalProperties"] === false || Object.keys(root).every((key) => key === "type" || key === "$schema") ? [] : null;
  return membersOf(root, schema, 0);
}
