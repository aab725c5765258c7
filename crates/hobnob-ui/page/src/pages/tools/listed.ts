// The tools of a list, and which of them fit words without the hub's search. Pure.

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
