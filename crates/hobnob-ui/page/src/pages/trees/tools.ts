// The tree tools as the page calls them: names, arguments and results are those of
// hobnob-services (arbor). Absent values are left out of results; lists are always lists.

import type { Json } from "../../types.ts";
import { type Listed, ownTool } from "../memory_and_others/own_tools.ts";
import { collected, type Collected } from "../memory_and_others/paging.ts";

export const STATES = ["active", "scheduled", "archived"] as const;
export type TreeState = (typeof STATES)[number];

export type Tree = {
  tree_id: string;
  name?: string;
  state: TreeState;
  archived_at?: string;
  gone_at?: string;
  root_node_id: string;
  nodes: number;
  claims: { owner_id: string; count: number }[];
  metadata?: Json;
  created_at: string;
  updated_at: string;
  uri: string;
};

/** A node without what it says. */
export type Shape = { node_id: string; parent_id?: string; depth: number; children: number; kind: string };

export type Node = Shape & {
  role?: string;
  content?: string;
  handle?: { source: string; identifier: string; metadata?: Json };
  metadata?: Json;
  created_at: string;
};

export type Hit = { tree_id: string; tree_name?: string; node: Node };

/** Trees in a list, nodes of a drawing, and messages of a conversation that are read at most. */
const MAX_TREES = 500;
export const MAX_NODES = 2_000;
export const MAX_MESSAGES = 2_000;

const LIST_TOOLS: { [state in TreeState]: string } = {
  active: "tree_list",
  scheduled: "tree_list_scheduled",
  archived: "tree_list_archived",
};

export function listTrees(state: TreeState, stop: AbortSignal): Promise<Collected<Tree>> {
  return collected(MAX_TREES, async (cursor) => {
    const part = await ownTool<Listed<"trees", Tree>>("arbor", LIST_TOOLS[state], { limit: 100, cursor }, stop);
    return { items: part.trees, next: part.next_cursor };
  });
}

export function readTree(tree: string, stop: AbortSignal): Promise<Tree> {
  return ownTool<Tree>("arbor", "tree_get", { tree_id: tree }, stop);
}

/** All nodes without what they say, parents before their children. */
export function readSkeleton(tree: string, stop: AbortSignal): Promise<Collected<Shape>> {
  return collected(MAX_NODES, async (cursor) => {
    const args = { tree_id: tree, limit: MAX_NODES, cursor };
    const part = await ownTool<Listed<"nodes", Shape>>("arbor", "tree_skeleton", args, stop);
    return { items: part.nodes, next: part.next_cursor };
  });
}

/** Columns of the drawing from which labels are read: most of them are the label. */
const LABEL_COLUMNS = 240;

/** The beginning of what each node says, by the node's id, from the drawing of the tree. */
export async function readLabels(tree: string, stop: AbortSignal): Promise<Map<string, string>> {
  const lines = await collected(MAX_NODES, async (cursor) => {
    const args = { tree_id: tree, limit: MAX_NODES, width: LABEL_COLUMNS, cursor };
    const part = await ownTool<{ text: string; next_cursor?: string }>("arbor", "tree_render", args, stop);
    return { items: part.text.split("\n"), next: part.next_cursor };
  });
  return labelsOf(lines.items);
}

const DRAWN = /^(?:…\d+ )?[│├└─ ]*(node_[a-z0-9]{16})(?: (.*))?$/;

/** Reads lines such as `│  ├─ node_0m4t8z1s6d2j7v5b user: And lavender?`. */
export function labelsOf(lines: readonly string[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const line of lines) {
    const [, id, label] = DRAWN.exec(line) ?? [];
    if (id !== undefined) labels.set(id, label ?? "");
  }
  return labels;
}

/** The conversation from the root to a node. */
export function readPath(tree: string, node: string, stop: AbortSignal): Promise<Collected<Node>> {
  return collected(MAX_MESSAGES, async (cursor) => {
    const args = { tree_id: tree, node_id: node, limit: 200, cursor };
    const part = await ownTool<Listed<"nodes", Node>>("arbor", "context_get_path", args, stop);
    return { items: part.nodes, next: part.next_cursor };
  });
}

/** Messages of all trees that have every word, newest first. */
export function searchNodes(query: string, stop: AbortSignal): Promise<{ nodes: Hit[]; truncated: boolean }> {
  return ownTool("arbor", "node_search", { query, limit: 100 }, stop);
}
