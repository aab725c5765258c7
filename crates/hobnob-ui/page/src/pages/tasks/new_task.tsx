// The button and the dialog that create a task on the project's own list.

import { useState } from "preact/hooks";
import { Dialog } from "../../ui/index.ts";
import { useAction } from "../memory_and_others/action.ts";
import { RecordsProblem } from "../memory_and_others/problem.tsx";
import { createTask, PRIORITIES, type Priority } from "./tools.ts";

export function NewTask({ onCreated }: { onCreated: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        New task
      </button>
      {open && (
        <Dialog title="New task" onClose={() => setOpen(false)}>
          <Form
            onCreated={() => {
              setOpen(false);
              onCreated();
            }}
          />
        </Dialog>
      )}
    </>
  );
}

function Form({ onCreated }: { onCreated: () => void }) {
  const [description, setDescription] = useState("");
  const [priority, setPriority] = useState<Priority>("normal");
  const action = useAction();
  return (
    <form
      class="record-form"
      aria-label="New task"
      onSubmit={(event) => {
        event.preventDefault();
        action.start(async () => {
          await createTask(description, priority);
          onCreated();
        });
      }}
    >
      {action.problem !== undefined && <RecordsProblem problem={action.problem} />}
      <label class="record-field">
        <span>What has to be done</span>
        <textarea rows={4} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      </label>
      <PriorityField value={priority} onChoose={setPriority} />
      <div class="actions">
        <button type="submit" class="primary" disabled={action.busy || description.trim() === ""}>
          {action.busy ? "Saving …" : "Create"}
        </button>
      </div>
    </form>
  );
}

export function PriorityField({ value, onChoose }: { value: Priority; onChoose: (value: Priority) => void }) {
  return (
    <label class="record-field">
      <span>Priority</span>
      <select
        value={value}
        onChange={(event) => {
          const chosen = PRIORITIES.find((one) => one === event.currentTarget.value);
          if (chosen !== undefined) onChoose(chosen);
        }}
      >
        {PRIORITIES.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    </label>
  );
}
