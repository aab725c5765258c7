// What a person has entered so far, and the value that it means. A field that is left empty is not
// sent, unless it is required. Pure.

import type { Json, JsonObject } from "../types.ts";
import type { Field, Member } from "./schema.ts";

/**
 * Text for texts, numbers, choices (as JSON) and raw JSON; `undefined` where nothing was entered. An
 * empty text that was entered on purpose is `""`: see `sendsEmpty`.
 */
export type Draft = string | boolean | undefined | Draft[] | { [name: string]: Draft };

export type Problem = { path: string; message: string };

type Read = { value: Json | undefined };

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export function readForm(members: readonly Member[], draft: Draft): { value: JsonObject; problems: Problem[] } {
  const problems: Problem[] = [];
  const value = readMembers(members, draft, "", problems);
  return { value, problems };
}

function readMembers(members: readonly Member[], draft: Draft, path: string, problems: Problem[]): JsonObject {
  const from = isObject(draft) ? draft : {};
  // A server may name an argument `__proto__`: it becomes a member like any other.
  const entries: [string, Json][] = [];
  for (const { name, field, required } of members) {
    const own = Object.hasOwn(from, name) ? from[name] : undefined;
    const at = path === "" ? name : `${path}.${name}`;
    const { value } = read(field, own, required, at, problems);
    if (value !== undefined) entries.push([name, value]);
  }
  return Object.fromEntries(entries);
}

function read(field: Field, draft: Draft, required: boolean, path: string, problems: Problem[]): Read {
  const problem = (message: string): Read => {
    problems.push({ path, message });
    return { value: undefined };
  };
  switch (field.kind) {
    case "text":
      if (draft === undefined && required) return problem(NOTHING_ENTERED);
      return { value: typeof draft === "string" && (draft !== "" || required) ? draft : undefined };
    case "boolean":
      if (typeof draft === "boolean") return { value: draft };
      return required ? problem("choose yes or no") : { value: undefined };
    case "number": {
      const text = typeof draft === "string" ? draft.trim() : "";
      if (text === "") return required ? problem("enter a number") : { value: undefined };
      if (!JSON_NUMBER.test(text)) return problem("enter a number, such as 12 or 0.5");
      const value = Number(text);
      if (!Number.isFinite(value)) return problem("this number is too large");
      if (field.whole && !Number.isSafeInteger(value)) return problem("enter a whole number");
      return { value };
    }
    case "choice":
    case "json": {
      const text = typeof draft === "string" ? draft.trim() : "";
      if (text === "") return required ? problem(field.kind === "json" ? "enter JSON" : "choose one") : { value: undefined };
      try {
        return { value: JSON.parse(text) as Json };
      } catch {
        return problem("this is not JSON: a text needs quotation marks");
      }
    }
    case "list": {
      const items = Array.isArray(draft) ? draft : [];
      if (items.length === 0 && !required) return { value: undefined };
      const values = items.map((item, index) => read(field.item, item, true, `${path}[${index}]`, problems).value);
      return { value: values.filter((value) => value !== undefined) };
    }
    case "object": {
      if (!required && !entered(draft)) return { value: undefined };
      return { value: readMembers(field.members, draft, path, problems) };
    }
  }
}

function isObject(draft: Draft): draft is { [name: string]: Draft } {
  return typeof draft === "object" && draft !== null && !Array.isArray(draft);
}

/** Whether anything was entered at all. */
function entered(draft: Draft): boolean {
  if (draft === undefined || draft === "") return false;
  if (Array.isArray(draft)) return draft.length > 0;
  return isObject(draft) ? Object.values(draft).some(entered) : true;
}

/** The problem of a required text into which nothing was entered: it may be sent empty on purpose. */
export const NOTHING_ENTERED = "nothing is entered";

/**
 * The problems that were said and still hold, in their present words: what is corrected is no longer
 * complained about, and nobody is told of new ones while typing.
 */
export function stillHolding(said: readonly Problem[], now: readonly Problem[]): Problem[] {
  const paths = new Set(said.map(({ path }) => path));
  return now.filter(({ path }) => paths.has(path));
}

/**
 * What a form starts with: required fields have their default, or the only value that they can have.
 * Optional ones stay empty, since the server knows its defaults.
 */
export function initialDraft(members: readonly Member[]): Draft {
  const entries = members.flatMap(({ name, field, required, preset }): [string, Draft][] => {
    const first = required ? initial(field, preset) : undefined;
    return first === undefined ? [] : [[name, first]];
  });
  return Object.fromEntries(entries);
}

function initial(field: Field, preset: Json | undefined): Draft {
  const given = draftOf(field, preset);
  // A default that is not among the choices cannot be shown as chosen.
  if (field.kind === "choice") {
    const values = field.values.map((value) => JSON.stringify(value));
    return values.length === 1 ? values[0] : values.find((value) => value === given);
  }
  if (given === undefined && field.kind === "object") return initialDraft(field.members);
  return given;
}

/** The draft that means `value`, to go on in the form with what was entered as JSON. */
export function draftOf(field: Field, value: Json | undefined): Draft {
  if (value === undefined) return undefined;
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? value : undefined;
    case "number":
      return typeof value === "number" ? String(value) : undefined;
    case "boolean":
      return typeof value === "boolean" ? value : undefined;
    case "choice":
      return JSON.stringify(value);
    case "json":
      return JSON.stringify(value, null, 2);
    case "list":
      return Array.isArray(value) ? value.map((item) => draftOf(field.item, item)) : undefined;
    case "object": {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      return draftOfMembers(field.members, value);
    }
  }
}

export function draftOfMembers(members: readonly Member[], value: JsonObject): Draft {
  const known = members.filter(({ name }) => Object.hasOwn(value, name));
  return Object.fromEntries(known.map(({ name, field }) => [name, draftOf(field, value[name])]));
}
