// What waits for what, drawn.

import { Graph as Drawing, type GraphNode } from "../../draw/graph.tsx";
import { firstLine, type Graph, STATUS_WORDS } from "./board.ts";
import type { Task } from "./tools.ts";

type Props = { graph: Graph; opened: string | undefined; onOpen: (id: string) => void };

export function DependencyGraph({ graph, opened, onOpen }: Props) {
  return (
    <>
      <Drawing
        label="Tasks from left to right: each waits for those that lead to it"
        nodes={graph.tasks.map(node)}
        edges={graph.edges}
        opened={opened}
        onOpen={onOpen}
      />
      {graph.leftOut > 0 && <p class="quiet small">{graph.leftOut} more tasks are not drawn.</p>}
    </>
  );
}

function node(task: Task): GraphNode {
  const words = [task.ready ? "Ready" : STATUS_WORDS[task.status]];
  if (task.priority !== "normal") words.push(task.priority);
  if (task.claimed_by !== undefined) words.push(task.claimed_by);
  return { id: task.id, title: firstLine(task.description), note: words.join(" · "), tone: toneOf(task) };
}

/** The tone of a task's state; the words beside it say the same. */
export function toneOf(task: Task): GraphNode["tone"] {
  switch (task.status) {
    case "completed":
      return "good";
    case "failed":
      return "bad";
    case "in_progress":
      return "info";
    case "pending":
      return task.ready ? "warn" : "quiet";
  }
}
