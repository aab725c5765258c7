// The task tools as the page calls them: names, arguments and results are those of
// hobnob-services (tasks). Absent values are left out of results; lists are always lists.

import { type Listed, ownTool } from "../memory_and_others/own_tools.ts";
import { collected, type Collected } from "../memory_and_others/paging.ts";

export const STATUSES = ["pending", "in_progress", "completed", "failed"] as const;
export type TaskStatus = (typeof STATUSES)[number];

export const PRIORITIES = ["urgent", "high", "normal", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

export type Task = {
  id: string;
  description: string;
  status: TaskStatus;
  priority: Priority;
  list: string;
  parent?: string;
  blockers: string[];
  /** Those of the blockers that are not completed yet. */
  open_blockers: string[];
  ready: boolean;
  claimed_by?: string;
  lease_until?: string;
  result?: string;
  created_at: string;
  updated_at: string;
  started_at?: string;
  finished_at?: string;
};

export type Step = { at: string; action: string; worker?: string; detail?: string };

export type TaskFilter = {
  /** Tasks of all lists, or of the project's own. */
  lists: "all" | "project";
  contains: string;
};

/** Tasks that a part has at most, and that a board shows at most. */
const PART = 500;
export const MAX_TASKS = 2_000;

export function listTasks(filter: TaskFilter, stop: AbortSignal): Promise<Collected<Task>> {
  const contains = filter.contains.trim() === "" ? undefined : filter.contains.trim();
  const list = filter.lists === "all" ? "*" : undefined;
  return collected(MAX_TASKS, async (cursor) => {
    const args = { list, contains, limit: PART, cursor };
    const part = await ownTool<Listed<"tasks", Task>>("tasks", "list", args, stop);
    return { items: part.tasks, next: part.next_cursor };
  });
}

export function readTask(id: string, stop: AbortSignal): Promise<Task> {
  return ownTool<Task>("tasks", "get", { id }, stop);
}

/** What happened to a task, oldest first. */
export async function readSteps(id: string, stop: AbortSignal): Promise<Step[]> {
  return (await ownTool<{ steps: Step[] }>("tasks", "history", { id }, stop)).steps;
}

export function createTask(description: string, priority: Priority): Promise<unknown> {
  return ownTool("tasks", "create", { description, priority });
}

export type TaskEdit = Partial<Pick<Task, "description" | "status" | "priority" | "result">>;

export function updateTask(id: string, edit: TaskEdit): Promise<Task> {
  return ownTool<Task>("tasks", "update", { id, ...edit });
}

export function deleteTask(id: string): Promise<unknown> {
  return ownTool("tasks", "delete", { id });
}

/** Makes `id` wait for `blocker`; the tool refuses what would be a cycle. */
export function addBlocker(id: string, blocker: string): Promise<Task> {
  return ownTool<Task>("tasks", "add_blocker", { id, blocker_id: blocker });
}

export function removeBlocker(id: string, blocker: string): Promise<Task> {
  return ownTool<Task>("tasks", "remove_blocker", { id, blocker_id: blocker });
}
