// Calls tools of Hobnob's own services and reads their data. The pages of memory, tasks and trees
// use it. They go through the rules like every client, so a call may be denied, asked about, or
// lead nowhere because the service is switched off.

import { callTool } from "../../api.ts";
import type { Json, JsonObject, McpAnswer, ToolResult } from "../../types.ts";

/** The services that these pages show; their names stand in front of the names of their tools. */
export type OwnService = "memory" | "tasks" | "arbor";

/** Why a tool gave no data. */
export type Refusal =
  /** The service is switched off: no tool has that name. */
  | "off"
  /** A rule asks the caller's own person first, and this page has no form for the answer. */
  | "asks"
  /** The tool ran and failed, or a rule denies it. */
  | "failed";

export class ToolFailure extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly service: OwnService,
    readonly tool: string,
    message: string,
  ) {
    super(message);
  }
}

/** Arguments of a tool; those without a value are not sent. */
export type Arguments = { [name: string]: Json | undefined };

/** Calls `SERVICE_TOOL` and returns its structured content. */
export async function ownTool<T>(
  service: OwnService,
  tool: string,
  args: Arguments = {},
  stop?: AbortSignal,
): Promise<T> {
  return dataOf<T>(service, tool, await callTool(`${service}_${tool}`, given(args), stop));
}

/** The arguments that have a value; an empty text is one, since it may remove something. */
export function given(args: Arguments): JsonObject {
  const kept: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** The data of an answer, or the failure that it tells of. */
export function dataOf<T>(service: OwnService, tool: string, answer: McpAnswer): T {
  const failure = (refusal: Refusal, message: string) => new ToolFailure(refusal, service, tool, message);
  if ("error" in answer) {
    // The text of `CallError::UnknownTool`; a tool that a rule denies has another one.
    const off = answer.error.message.startsWith("Unknown tool: ");
    throw failure(off ? "off" : "failed", answer.error.message);
  }
  if ("input_required" in answer) {
    throw failure("asks", `a rule asks a person before ${service}_${tool} runs`);
  }
  const result: ToolResult = answer.result;
  if (result.isError === true) throw failure("failed", textOf(result));
  const data = result.structuredContent;
  if (typeof data !== "object" || data === null) {
    throw failure("failed", "the tool answered without data");
  }
  return data as T;
}

function textOf(result: ToolResult): string {
  const texts = (result.content ?? []).map((block) => block["text"]);
  const text = texts.filter((one) => typeof one === "string").join("\n");
  return text === "" ? "the tool failed and did not say why" : text;
}

/** A page of a list of Hobnob's own tools: the entries under the list's name. */
export type Listed<Name extends string, Entry> = { [name in Name]: Entry[] } & {
  count: number;
  next_cursor?: string;
};
