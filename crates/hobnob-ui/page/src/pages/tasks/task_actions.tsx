// What a person may do with a task: move it on, say what came of it, change it, what it waits for,
// or delete it. The tool refuses what claims and blockers forbid, and the page says why.

import { useState } from "preact/hooks";
import { Confirm } from "../../ui/index.ts";
import { type Action, useAction } from "../memory_and_others/action.ts";
import { RecordsProblem } from "../memory_and_others/problem.tsx";
import { closeDialog, href } from "../../router.ts";
import { firstLine, nextStatuses, STATUS_WORDS } from "./board.ts";
import { PriorityField } from "./new_task.tsx";
import { addBlocker, deleteTask, removeBlocker, type Task, type TaskStatus, updateTask } from "./tools.ts";
import { TaskLink } from "./task_link.tsx";

type Props = { task: Task; all: readonly Task[]; onChanged: () => void };

/** Where a button leads, in words of what it does. */
const MOVES: { [status in TaskStatus]: string } = {
  pending: "Back to pending",
  in_progress: "Start",
  completed: "Complete",
  failed: "Mark as failed",
};

export function TaskActions({ task, all, onChanged }: Props) {
  const [editing, setEditing] = useState(false);
  const [asking, setAsking] = useState(false);
  const action = useAction();
  const act = (work: () => Promise<unknown>) =>
    action.start(async () => {
      await work();
      setEditing(false);
      onChanged();
    });
  const remove = () =>
    action.start(async () => {
      await deleteTask(task.id);
      closeDialog(href("tasks"));
      onChanged();
    });
  return (
    <>
      {action.problem !== undefined && <RecordsProblem problem={action.problem} />}
      <div class="actions">
        {nextStatuses(task.status).map((status) => (
          <button
            key={status}
            type="button"
            disabled={action.busy}
            onClick={() => act(() => updateTask(task.id, { status }))}
            title={STATUS_WORDS[status]}
          >
            {MOVES[status]}
          </button>
        ))}
        <button type="button" disabled={action.busy} aria-expanded={editing} onClick={() => setEditing(!editing)}>
          Edit
        </button>
        <button type="button" class="danger" disabled={action.busy} onClick={() => setAsking(true)}>
          Delete
        </button>
      </div>
      {editing && <EditTask task={task} all={all} action={action} act={act} />}
      {asking && (
        <Confirm title="Delete this task?" action="Delete" onYes={remove} onClose={() => setAsking(false)}>
          <p>It is gone for good, with its history.</p>
        </Confirm>
      )}
    </>
  );
}

type EditProps = Omit<Props, "onChanged"> & { action: Action; act: (work: () => Promise<unknown>) => void };

function EditTask({ task, all, action, act }: EditProps) {
  // Only what a person changed is sent, so that a change by another client meanwhile stays.
  const [before] = useState(task);
  const [description, setDescription] = useState(before.description);
  const [priority, setPriority] = useState(before.priority);
  const [result, setResult] = useState(before.result ?? "");
  const edit = {
    ...(description === before.description ? {} : { description }),
    ...(priority === before.priority ? {} : { priority }),
    ...(result === (before.result ?? "") ? {} : { result }),
  };
  const same = Object.keys(edit).length === 0;
  return (
    <div class="record-form">
      <form
        class="record-form"
        aria-label="Edit the task"
        onSubmit={(event) => {
          event.preventDefault();
          act(() => updateTask(task.id, edit));
        }}
      >
        <label class="record-field">
          <span>What has to be done</span>
          <textarea rows={4} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
        </label>
        <label class="record-field">
          <span>What came of it</span>
          <textarea rows={3} value={result} onInput={(event) => setResult(event.currentTarget.value)} />
        </label>
        <PriorityField value={priority} onChoose={setPriority} />
        <div class="actions">
          <button type="submit" class="primary" disabled={action.busy || same || description.trim() === ""}>
            Save
          </button>
        </div>
      </form>
      <Blockers task={task} all={all} action={action} act={act} />
    </div>
  );
}

function Blockers({ task, all, action, act }: EditProps) {
  const [chosen, setChosen] = useState("");
  const others = all.filter((one) => one.id !== task.id && !task.blockers.includes(one.id) && one.status !== "completed");
  return (
    <fieldset class="task-blockers">
      <legend>Waits for</legend>
      {task.blockers.length === 0 && <p class="quiet">no other task</p>}
      <ul class="task-links">
        {task.blockers.map((id) => (
          <li key={id}>
            <TaskLink id={id} all={all} />{" "}
            <button type="button" class="plain" disabled={action.busy} onClick={() => act(() => removeBlocker(task.id, id))}>
              no longer
            </button>
          </li>
        ))}
      </ul>
      <div class="toolbar">
        <select aria-label="Another task to wait for" value={chosen} onChange={(event) => setChosen(event.currentTarget.value)}>
          <option value="">another task …</option>
          {others.slice(0, 200).map((one) => (
            <option key={one.id} value={one.id}>
              {firstLine(one.description).slice(0, 80)}
            </option>
          ))}
        </select>
        <button type="button" disabled={action.busy || chosen === ""} onClick={() => act(() => addBlocker(task.id, chosen))}>
          Wait for it
        </button>
      </div>
    </fieldset>
  );
}
