// The board: a column for each status, with the most important tasks on top.

import { useState } from "preact/hooks";
import { shorten, visible } from "../../format.ts";
import { Badge, Foreign, When } from "../../ui/index.ts";
import { board, type Column, firstLine, STATUS_WORDS } from "./board.ts";
import type { Task } from "./tools.ts";

type Props = { tasks: readonly Task[]; opened: string | undefined; onOpen: (id: string) => void };

/** Cards that a column begins with, and that each "more" adds. */
const STEP = 30;

export function Board({ tasks, opened, onOpen }: Props) {
  return (
    <div class="task-board">
      {board(tasks).map((column) => (
        <BoardColumn key={column.status} column={column} opened={opened} onOpen={onOpen} />
      ))}
    </div>
  );
}

function BoardColumn({ column, opened, onOpen }: { column: Column } & Omit<Props, "tasks">) {
  const [shown, setShown] = useState(STEP);
  const { status, tasks } = column;
  const id = `board-${status}`;
  return (
    <section class="task-column" aria-labelledby={id}>
      <h2 id={id}>
        {STATUS_WORDS[status]} <span class="count">{tasks.length}</span>
      </h2>
      {tasks.length === 0 && <p class="quiet small">none</p>}
      <ul>
        {tasks.slice(0, shown).map((task) => (
          <li key={task.id}>
            <Card task={task} open={task.id === opened} onOpen={onOpen} />
          </li>
        ))}
      </ul>
      {shown < tasks.length && (
        <button type="button" onClick={() => setShown(shown + STEP)}>
          {tasks.length - shown} more
        </button>
      )}
    </section>
  );
}

function Card({ task, open, onOpen }: { task: Task; open: boolean; onOpen: (id: string) => void }) {
  const waits = task.open_blockers.length;
  return (
    <button type="button" class="task-card" aria-current={open ? "true" : undefined} onClick={() => onOpen(task.id)}>
      <span>{shorten(visible(firstLine(task.description)), 160)}</span>
      <span class="record-facts">
        <PriorityBadge task={task} />
        {task.status === "pending" && task.ready && <Badge tone="good">ready</Badge>}
        {waits > 0 && <Badge>waits for {waits}</Badge>}
        {task.claimed_by !== undefined && (
          <Badge tone="info">
            <Foreign text={task.claimed_by} max={30} />
          </Badge>
        )}
        <span class="quiet small">
          <When at={task.finished_at ?? task.started_at ?? task.created_at} />
        </span>
      </span>
    </button>
  );
}

export function PriorityBadge({ task }: { task: Task }) {
  switch (task.priority) {
    case "urgent":
      return <Badge tone="bad">urgent</Badge>;
    case "high":
      return <Badge tone="warn">high</Badge>;
    case "low":
      return <Badge>low</Badge>;
    case "normal":
      return null;
  }
}
