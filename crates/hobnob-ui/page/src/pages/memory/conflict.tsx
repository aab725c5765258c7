// Somebody changed a memory while a person edits it: what it says now beside what the person wrote,
// and the choice between the two. What must stay true: nothing that was typed is lost unasked.

import { useMemo } from "preact/hooks";
import { visible } from "../../format.ts";
import { lineDiff } from "../../line_diff.ts";
import { Foreign, When } from "../../ui/index.ts";
import { DiffLines } from "../../ui/diff_lines.tsx";
import type { Draft, Memory } from "./tools.ts";

type Props = {
  /** The memory as it is now. */
  theirs: Memory;
  draft: Draft;
  busy: boolean;
  onTakeTheirs: () => void;
  onKeepMine: () => void;
  onRestore: () => void;
};

export function Conflict({ theirs, draft, busy, onTakeTheirs, onKeepMine, onRestore }: Props) {
  const lines = useMemo(() => lineDiff(theirs.content ?? "", draft.content), [theirs, draft.content]);
  if (theirs.status === "deleted") {
    return (
      <div class="note warn" role="alert">
        <p>Somebody deleted this memory while you were editing it. Your text is still below; restore the memory to save it.</p>
        <button type="button" disabled={busy} onClick={onRestore}>
          Restore it
        </button>
      </div>
    );
  }
  return (
    <section class="conflict" aria-label="Changed meanwhile">
      <div class="note warn" role="alert">
        <p>
          Somebody changed this memory while you were editing it (<When at={theirs.updated_at} />
          ). Nothing is overwritten, and your text is still below.
        </p>
      </div>
      <h3>What it says now</h3>
      <p class="record-prose conflict-theirs">{visible(theirs.content ?? "")}</p>
      {(theirs.namespace !== draft.namespace.trim() || theirs.tags.join(" ") !== draft.tags) && (
        <p class="quiet small">
          <Foreign text={[theirs.namespace, ...theirs.tags].join(" · ")} />
        </p>
      )}
      <h3>What your text would change</h3>
      <DiffLines lines={lines} />
      <div class="actions">
        <button type="button" class="primary" disabled={busy} onClick={onKeepMine}>
          Keep editing mine on top of it
        </button>
        <button type="button" disabled={busy} onClick={onTakeTheirs}>
          Take theirs, drop mine
        </button>
      </div>
    </section>
  );
}
