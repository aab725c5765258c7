import assert from "node:assert/strict";
import test from "node:test";
import { board, dependencies, firstLine, MAX_DRAWN, neighbourhood, nextStatuses } from "./board.ts";
import { STATUSES, type Task } from "./tools.ts";

const task = (id: string, part: Partial<Task> = {}): Task => ({
  id, description: id, status: "pending", priority: "normal", list: "p", blockers: [], open_blockers: [],
  ready: true, created_at: "2026-03-01T00:00:00.000Z", updated_at: "2026-03-01T00:00:00.000Z", ...part,
});
const ids = (tasks: readonly Task[]) => tasks.map((one) => one.id).join(" ");
const pairs = (edges: readonly { from: string; to: string }[]) => edges.map(({ from, to }) => `${from}>${to}`).join(" ");

test("every status has a column, in an order of its own", () => {
  const columns = board([
    task("old"),
    task("blocked", { ready: false, priority: "urgent" }),
    task("high", { priority: "high", created_at: "2026-03-02T00:00:00.000Z" }),
    task("done1", { status: "completed", finished_at: "2026-03-03T00:00:00.000Z" }),
    task("done2", { status: "completed", finished_at: "2026-03-04T00:00:00.000Z" }),
    task("busy", { status: "in_progress", ready: false }),
  ]);
  assert.deepEqual(columns.map(({ status, tasks }) => `${status}: ${ids(tasks)}`), [
    "pending: high old blocked",
    "in_progress: busy",
    "completed: done2 done1",
    "failed: ",
  ]);
});

test("a task never stays where it is, and what is over can only be begun anew", () => {
  for (const status of STATUSES) assert.ok(!nextStatuses(status).includes(status));
  assert.deepEqual(nextStatuses("completed"), ["pending"]);
  assert.deepEqual(nextStatuses("failed"), ["pending"]);
});

const graph = [
  task("a", { status: "completed" }),
  task("b", { blockers: ["a"] }),
  task("c", { blockers: ["b", "gone"] }),
  task("d", { blockers: ["b"] }),
  task("e", { blockers: ["x"] }),
  task("alone"),
];

test("only tasks with dependencies that are listed are drawn", () => {
  const all = dependencies(graph, "all");
  assert.equal(ids(all.tasks), "a b c d");
  assert.equal(pairs(all.edges), "a>b b>c b>d");
  const open = dependencies(graph, "open");
  assert.equal(ids(open.tasks), "b c d");
  assert.equal(pairs(open.edges), "b>c b>d");
});

test("the neighbourhood of a task leads both ways and not aside", () => {
  assert.equal(ids(neighbourhood(graph, "c").tasks), "a b c");
  assert.equal(ids(neighbourhood(graph, "b").tasks), "a b c d");
  assert.equal(ids(neighbourhood(graph, "alone").tasks), "alone");
  assert.equal(ids(neighbourhood(graph, "gone").tasks), "");
});

test("a drawing is bounded and says what it left out", () => {
  const chain = Array.from({ length: 500 }, (_, at) => task(String(at), at === 0 ? {} : { blockers: [String(at - 1)] }));
  const drawn = dependencies(chain, "all");
  assert.equal(drawn.tasks.length, MAX_DRAWN);
  assert.equal(drawn.leftOut, 500 - MAX_DRAWN);
  assert.equal(drawn.edges.length, MAX_DRAWN - 1);
});

test("the first line of a description", () => {
  assert.equal(firstLine("\n one\ntwo"), "one");
  assert.equal(firstLine(""), "");
});
