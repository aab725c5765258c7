// The questions of an answer that asks first, as forms. Pure: everything in them is foreign text.

import type { Json, JsonObject } from "../../types.ts";

/** A form with one field whose values are listed: a button for each. */
export type Choice = { name: string; options: { value: string; title: string }[] };

export type AskedForm = {
  key: string;
  message: string;
  /** Why it is asked, if its only field says so. */
  about: string;
  byHobnob: boolean;
  schema: JsonObject;
  choice: Choice | null;
};

const MAX_OPTIONS = 12;

function object(value: Json | undefined): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
}

/** The forms, in their order; `null` if something else is asked, such as an answer of a model. */
export function askedForms(asked: JsonObject): AskedForm[] | null {
  const requests = Object.entries(object(asked["inputRequests"]) ?? {});
  const forms = requests.map(([key, request]) => formOfRequest(key, object(request)));
  return forms.length > 0 && forms.every((form) => form !== null) ? (forms as AskedForm[]) : null;
}

function formOfRequest(key: string, request: JsonObject | null): AskedForm | null {
  const params = object(request?.["params"]);
  const schema = object(params?.["requestedSchema"]);
  const message = params?.["message"];
  if (request?.["method"] !== "elicitation/create" || schema === null || typeof message !== "string") return null;
  const [only, ...more] = Object.entries(object(schema["properties"]) ?? {});
  const field = only !== undefined && more.length === 0 ? object(only[1]) : null;
  const about = field?.["description"];
  const asker = object(object(params?.["_meta"])?.["hobnob/asked-by"]);
  return {
    key,
    message,
    about: typeof about === "string" ? about : "",
    byHobnob: asker?.["origin"] === "hobnob",
    schema,
    choice: only === undefined || field === null ? null : choiceOf(only[0], field),
  };
}

function choiceOf(name: string, field: JsonObject): Choice | null {
  const listed = Array.isArray(field["oneOf"]) ? field["oneOf"] : field["enum"];
  if (!Array.isArray(listed) || listed.length === 0 || MAX_OPTIONS < listed.length) return null;
  const options = listed.map((item) => {
    const value = typeof item === "string" ? item : object(item)?.["const"];
    const title = object(item)?.["title"];
    return typeof value === "string" ? { value, title: typeof title === "string" ? title : value } : null;
  });
  return options.every((option) => option !== null) ? { name, options: options as Choice["options"] } : null;
}
