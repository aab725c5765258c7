// A link from one task to another.

import { href } from "../../router.ts";
import { Foreign } from "../../ui/index.ts";
import { firstLine } from "./board.ts";
import type { Task } from "./tools.ts";

/** A link to a task by its first words, or by its id if it is not listed. */
export function TaskLink({ id, all }: { id: string; all: readonly Task[] }) {
  const task = all.find((one) => one.id === id);
  return (
    <a href={href("tasks", id)}>
      <Foreign text={task === undefined ? id : firstLine(task.description)} max={80} />
    </a>
  );
}
