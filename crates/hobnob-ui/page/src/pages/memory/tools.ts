// The memory tools as the page calls them: names, arguments and results are those of
// hobnob-services (memory/tools). Absent values are left out of results.

import { collected, type Collected } from "../memory_and_others/paging.ts";
import { type Listed, ownTool } from "../memory_and_others/own_tools.ts";
import { type MemoryFilter, filterText, list } from "./filter.ts";

export type MemoryStatus = "active" | "superseded" | "deleted";

/** A memory; in lists, those beyond the content budget have a snippet in place of the content. */
export type Memory = {
  id: string;
  urn: string;
  namespace: string;
  tags: string[];
  score?: number;
  snippet?: string;
  content?: string;
  scope?: string;
  project?: string;
  source?: string;
  status?: MemoryStatus;
  superseded_by?: string;
  version?: number;
  created_at?: string;
  updated_at?: string;
  expires_at?: string;
};

export type Found = Collected<Memory> & { note: string | undefined };

export type Version = {
  version: number;
  action: string;
  at: string;
  namespace: string;
  tags: string[];
  status: MemoryStatus;
  content: string;
};

export type Namespace = { name: string; count: number; about?: string };

export type Status = {
  project: string;
  memories: { [scope: string]: number };
  deleted: number;
  embeddings: { model?: string; embedded: number; total: number };
  secrets: string;
};

/** Memories that a part has at most; recall allows 100. */
const PART = 100;

type RecallResult = Listed<"memories", Memory> & { note?: string };

/** The memories that fit a question, best first; without a question, the newest. */
export async function recall(query: string, filter: MemoryFilter, wanted: number, stop: AbortSignal): Promise<Found> {
  const question = query.trim() === "" ? undefined : query.trim();
  // Full contents bring the times, too; a passage is worth more where words were looked for.
  const detail = question === undefined ? "full" : "medium";
  const words = filterText(filter);
  let note: string | undefined;
  const found = await collected<Memory>(wanted, async (cursor) => {
    const args = { query: question, filter: words, detail, limit: PART, cursor };
    const part = await ownTool<RecallResult>("memory", "recall", args, stop);
    note ??= part.note;
    return { items: part.memories, next: part.next_cursor };
  });
  return { ...found, note };
}

export function readMemory(id: string, stop?: AbortSignal): Promise<Memory> {
  return ownTool<Memory>("memory", "get", { id }, stop);
}

/** Every version, oldest first. */
export async function readHistory(id: string, stop?: AbortSignal): Promise<Version[]> {
  return (await ownTool<{ versions: Version[] }>("memory", "history", { id }, stop)).versions;
}

export async function readNamespaces(stop: AbortSignal): Promise<Namespace[]> {
  return (await ownTool<{ namespaces: Namespace[] }>("memory", "namespaces", {}, stop)).namespaces;
}

export function readStatus(stop: AbortSignal): Promise<Status> {
  return ownTool<Status>("memory", "status", {}, stop);
}

/** What a person may change of a memory. */
export type Draft = { content: string; namespace: string; tags: string; source: string };

export function draftOf(memory: Memory): Draft {
  return {
    content: memory.content ?? "",
    namespace: memory.namespace,
    tags: memory.tags.join(" "),
    source: memory.source ?? "",
  };
}

/**
 * The draft on top of a newer version: what the person changed stays, and the rest follows the newer
 * version, so that a save changes nothing that the person did not touch.
 */
export function rebased(draft: Draft, before: Memory, now: Memory): Draft {
  const [old, fresh] = [draftOf(before), draftOf(now)];
  const field = (name: keyof Draft) => (draft[name] === old[name] ? fresh[name] : draft[name]);
  return { content: field("content"), namespace: field("namespace"), tags: field("tags"), source: field("source") };
}

/** The arguments of memory_update for what differs; undefined if nothing does. */
export function edits(memory: Memory, draft: Draft) {
  const before = draftOf(memory);
  const tags = list(draft.tags);
  const changed = {
    ...(draft.content === before.content ? {} : { content: draft.content }),
    ...(draft.namespace.trim() === before.namespace ? {} : { namespace: draft.namespace.trim() }),
    ...(tags.join(" ") === before.tags ? {} : { tags }),
    ...(draft.source.trim() === before.source ? {} : { source: draft.source.trim() }),
  };
  if (Object.keys(changed).length === 0) return undefined;
  // Another client may have changed it meanwhile; then the tool refuses.
  return { id: memory.id, ...changed, version: memory.version };
}

export function remove(id: string): Promise<unknown> {
  return ownTool("memory", "delete", { id });
}

export function restore(id: string): Promise<Memory> {
  return ownTool<Memory>("memory", "restore", { id });
}

/** Whether a past version can be used again: in a long history, old ones have only beginnings. */
export function isWhole(version: Version): boolean {
  return !version.content.endsWith("…");
}
