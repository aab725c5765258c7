// The form that changes a memory. It sends only what differs; the tool checks everything.

import { type Draft, edits, type Memory } from "./tools.ts";

type Props = {
  /** The version that the person edits. */
  memory: Memory;
  draft: Draft;
  onDraft: (draft: Draft) => void;
  busy: boolean;
  /** Another version has come, and the person has yet to say what becomes of it. */
  undecided: boolean;
  onSave: (args: NonNullable<ReturnType<typeof edits>>) => void;
  onCancel: () => void;
};

export function EditForm({ memory, draft, onDraft, busy, undecided, onSave, onCancel }: Props) {
  const args = edits(memory, draft);
  const set = (part: Partial<Draft>) => onDraft({ ...draft, ...part });
  return (
    <form
      class="record-form"
      aria-label="Edit the memory"
      onSubmit={(event) => {
        event.preventDefault();
        if (args !== undefined && !undecided) onSave(args);
      }}
    >
      <label class="record-field">
        <span>What it says</span>
        <textarea rows={8} value={draft.content} onInput={(event) => set({ content: event.currentTarget.value })} />
      </label>
      <div class="record-fields">
        <label class="record-field">
          <span>Namespace</span>
          <input value={draft.namespace} spellcheck={false} onInput={(event) => set({ namespace: event.currentTarget.value })} />
        </label>
        <label class="record-field">
          <span>Tags</span>
          <input value={draft.tags} spellcheck={false} onInput={(event) => set({ tags: event.currentTarget.value })} />
        </label>
        <label class="record-field">
          <span>Source</span>
          <input value={draft.source} spellcheck={false} onInput={(event) => set({ source: event.currentTarget.value })} />
        </label>
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={busy || undecided || args === undefined || draft.content.trim() === ""}>
          {busy ? "Saving …" : "Save"}
        </button>
        <button type="button" disabled={busy} onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
