// The tools of a list: which of them fit words without the hub's search, and whose they are. Pure.

import type { Tool } from "../../types.ts";

export type Listed = { name: string; about: string };

export function filterTools(tools: readonly Tool[], query: string): Listed[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return tools
    .map((tool): Listed => ({ name: tool.name, about: (tool.description ?? tool.title ?? "").split("\n")[0] ?? "" }))
    .filter((tool, index) => {
      const text = `${tool.name} ${tools[index]?.title ?? ""} ${tools[index]?.description ?? ""}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
}

/** The tools of one server, or of Hobnob itself. */
export type Group = {
  /** `null` for Hobnob's own tools. */
  server: string | null;
  tools: Listed[];
  /** Tools of the server that the list leaves out. */
  unlisted: number;
};

/** Tools that help models to find others come after those that do something. */
const FINDING = new Set(["find_tools", "describe_tools", "call_tool", "ListMcpResources", "ReadMcpResource"]);

/**
 * The servers' tools first, in the order of the servers, and Hobnob's own last. A server's tool is
 * named `mcp__SERVER__TOOL`; one that has another name by a profile is listed with Hobnob's.
 */
export function grouped(tools: readonly Listed[], servers: readonly { name: string; tools: number }[]): Group[] {
  const groups = new Map<string, Listed[]>(servers.map(({ name }) => [name, []]));
  const own: Listed[] = [];
  for (const tool of tools) {
    const server = serverOf(tool.name, groups);
    if (server === null) own.push(tool);
    else groups.set(server, [...(groups.get(server) ?? []), tool]);
  }
  const offered = new Map(servers.map(({ name, tools: count }) => [name, count]));
  const theirs = [...groups].map(([server, listed]): Group => ({
    server,
    tools: listed,
    unlisted: Math.max(0, (offered.get(server) ?? 0) - listed.length),
  }));
  const finding = (tool: Listed) => (FINDING.has(tool.name) ? 1 : 0);
  const sorted = [...own].sort((left, right) => finding(left) - finding(right));
  return [...theirs, { server: null, tools: sorted, unlisted: 0 }].filter(
    (group) => group.tools.length > 0 || group.unlisted > 0,
  );
}

/** A name may have `__` in it, so servers that are known come first. */
function serverOf(tool: string, known: ReadonlyMap<string, unknown>): string | null {
  if (!tool.startsWith("mcp__")) return null;
  const rest = tool.slice("mcp__".length);
  for (let at = rest.lastIndexOf("__"); at > 0; at = rest.lastIndexOf("__", at - 1)) {
    if (known.has(rest.slice(0, at))) return rest.slice(0, at);
  }
  const end = rest.indexOf("__");
  return end > 0 ? rest.slice(0, end) : null;
}
