// The tools that this page's principal may use, read through the same view as every client's.
// A hub with many tools lists only some and finds the others: see `find_tools`.

import { callTool, mcp } from "./api.ts";
import { visible } from "./format.ts";
import type { ContentBlock, JsonObject, McpAnswer, Tool, ToolResult } from "./types.ts";

/** A tool that a search found; its schema is read when it is opened. */
export type FoundTool = { name: string; server: string; description: string; required: string[] };

const MAX_PAGES = 50;
const FIND = "find_tools";
const DESCRIBE = "describe_tools";
/** The most tools that a search finds. */
export const MAX_FOUND = 25;
const MAX_DESCRIBED = 20;

/** The result of an answer, or an error with the hub's own words. */
export function resultOf(answer: McpAnswer): JsonObject {
  if ("result" in answer) return answer.result;
  if ("error" in answer) throw new Error(visible(answer.error.message));
  throw new Error("the hub asks for something first; answer it in your assistant");
}

/** Every tool that is listed. */
export async function listTools(stop?: AbortSignal): Promise<Tool[]> {
  const tools: Tool[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = resultOf(await mcp("tools/list", cursor === null ? {} : { cursor }, stop));
    if (Array.isArray(result["tools"])) tools.push(...(result["tools"] as unknown as Tool[]));
    const next = result["nextCursor"];
    if (typeof next !== "string" || next === "") break;
    cursor = next;
  }
  return tools;
}

export function canSearch(tools: readonly Tool[]): boolean {
  return tools.some((tool) => tool.name === FIND);
}

/** The text of a tool's result; a result that is an error is thrown. */
function textOf(answer: McpAnswer): string {
  const result = resultOf(answer) as ToolResult;
  const blocks = (result.content ?? []) as ContentBlock[];
  const text = blocks.map((block) => (typeof block["text"] === "string" ? block["text"] : "")).join("\n");
  if (result.isError) throw new Error(visible(text) || "the search failed");
  return text;
}

/** Tools by what they do, best first; a hub that finds none answers with words instead of a list. */
export async function findTools(query: string, stop?: AbortSignal): Promise<FoundTool[]> {
  const text = textOf(await callTool(FIND, { query, limit: MAX_FOUND }, stop));
  return text.trimStart().startsWith("[") ? (JSON.parse(text) as FoundTool[]) : [];
}

/** The full definitions of tools by name, also of those that are not listed. */
export async function describeTools(names: readonly string[], stop?: AbortSignal): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (let at = 0; at < names.length; at += MAX_DESCRIBED) {
    const some = names.slice(at, at + MAX_DESCRIBED);
    tools.push(...(JSON.parse(textOf(await callTool(DESCRIBE, { names: some }, stop))) as Tool[]));
  }
  return tools;
}

/** The tools of one server: the listed ones by their names, else those that a search finds. */
export async function toolsOfServer(server: string, stop?: AbortSignal): Promise<{ tools: Tool[]; complete: boolean }> {
  const listed = await listTools(stop);
  const own = listed.filter((tool) => tool.name.startsWith(`mcp__${server}__`));
  if (own.length > 0 || !canSearch(listed)) return { tools: own, complete: true };
  const found = (await findTools(server, stop)).filter((tool) => tool.server === server);
  if (found.length === 0) return { tools: [], complete: false };
  return { tools: await describeTools(found.map((tool) => tool.name), stop), complete: false };
}
