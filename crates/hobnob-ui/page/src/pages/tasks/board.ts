// Tasks as a board and as a graph of what waits for what. Pure.

import type { Edge } from "../../draw/layers.ts";
import { PRIORITIES, STATUSES, type Task, type TaskStatus } from "./tools.ts";

export const STATUS_WORDS: { [status in TaskStatus]: string } = {
  pending: "Pending",
  in_progress: "In progress",
  completed: "Completed",
  failed: "Failed",
};

/** Where a task can go from here: what has ended can only go back to pending. */
export function nextStatuses(status: TaskStatus): readonly TaskStatus[] {
  switch (status) {
    case "pending":
      return ["in_progress", "completed", "failed"];
    case "in_progress":
      return ["completed", "failed", "pending"];
    case "completed":
    case "failed":
      return ["pending"];
  }
}

export type Column = { status: TaskStatus; tasks: Task[] };

/**
 * A column for each status. What can be begun or goes on comes first by importance, then the
 * oldest; what has ended comes newest first.
 */
export function board(tasks: readonly Task[]): Column[] {
  return STATUSES.map((status) => ({
    status,
    tasks: tasks.filter((task) => task.status === status).sort(isOver(status) ? newestFirst : mostImportantFirst),
  }));
}

function isOver(status: TaskStatus): boolean {
  return status === "completed" || status === "failed";
}

function newestFirst(a: Task, b: Task): number {
  return compare(b.finished_at ?? b.updated_at, a.finished_at ?? a.updated_at);
}

function mostImportantFirst(a: Task, b: Task): number {
  return (
    Number(b.ready) - Number(a.ready) ||
    PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) ||
    compare(a.created_at, b.created_at)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The first line of a description, which may have many. */
export function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}

export type Graph = { tasks: Task[]; edges: Edge[]; leftOut: number };

/** Most tasks that a drawing shows. */
export const MAX_DRAWN = 150;

/** All tasks with dependencies among those that are listed; those that are not over come first. */
export function dependencies(tasks: readonly Task[], shown: "open" | "all"): Graph {
  const wanted = tasks.filter((task) => shown === "all" || !isOver(task.status));
  const edges = edgesAmong(wanted);
  const linked = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return bounded(wanted.filter((task) => linked.has(task.id)));
}

/** A task, all that it waits for, and all that waits for it, over any number of steps. */
export function neighbourhood(tasks: readonly Task[], id: string): Graph {
  const edges = edgesAmong(tasks);
  const near = new Set([...reached(edges, id, "back"), ...reached(edges, id, "on")]);
  return bounded(tasks.filter((task) => near.has(task.id)));
}

function reached(edges: readonly Edge[], start: string, way: "back" | "on"): Set<string> {
  const steps = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const [here, there] = way === "on" ? [from, to] : [to, from];
    const beside = steps.get(here);
    if (beside === undefined) steps.set(here, [there]);
    else beside.push(there);
  }
  const seen = new Set([start]);
  // A set grows while it is walked, so this visits what it adds.
  for (const one of seen) for (const next of steps.get(one) ?? []) seen.add(next);
  return seen;
}

function edgesAmong(tasks: readonly Task[]): Edge[] {
  const known = new Set(tasks.map((task) => task.id));
  return tasks.flatMap((task) =>
    task.blockers.filter((blocker) => known.has(blocker)).map((from) => ({ from, to: task.id })),
  );
}

function bounded(tasks: readonly Task[]): Graph {
  const drawn = tasks.slice(0, MAX_DRAWN);
  return { tasks: drawn, edges: edgesAmong(drawn), leftOut: tasks.length - drawn.length };
}
