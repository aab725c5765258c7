// One memory in full: what it says, what may be done with it, and what it was before.

import type { ComponentProps } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visible } from "../../format.ts";
import { go, href } from "../../router.ts";
import { changes } from "../../state.ts";
import { Badge, Confirm, CopyButton, Facts, Foreign, Loading, When } from "../../ui/index.ts";
import { ownTool } from "../memory_and_others/own_tools.ts";
import { useAction } from "../memory_and_others/action.ts";
import { useLoaded } from "../memory_and_others/loading.ts";
import { RecordsProblem } from "../memory_and_others/problem.tsx";
import { Conflict } from "./conflict.tsx";
import { EditForm } from "./edit_form.tsx";
import { History } from "./history.tsx";
import { type Draft, draftOf, edits, type Memory, readHistory, readMemory, rebased, remove, restore, type Version } from "./tools.ts";

type Read = { memory: Memory; versions: Version[] };

async function readAll(id: string, stop: AbortSignal): Promise<Read> {
  const [memory, versions] = await Promise.all([readMemory(id, stop), readHistory(id, stop)]);
  return { memory, versions };
}

export function MemoryView({ id }: { id: string }) {
  const { value, problem, again } = useLoaded(id, changes.memory.value, (stop) => readAll(id, stop));
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section class="panel record-detail" aria-labelledby="memory-heading">
      <header>
        <h2 id="memory-heading" tabIndex={-1} ref={heading}>
          Memory
        </h2>
        <div class="side">
          <button type="button" class="plain" onClick={() => go(href("memory"))}>
            Close
          </button>
        </div>
      </header>
      {problem !== undefined && <RecordsProblem problem={problem} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="the memory" />}
      {value !== undefined && <Content {...value} again={again} />}
    </section>
  );
}

/** What a person edits: the version that editing began with, and what it has become. */
type Edited = { base: Memory; draft: Draft };

/** What is not saved yet, by the memory's id: kept while the person looks at other parts of the page. */
const unsaved = new Map<string, Edited>();
const MAX_UNSAVED = 20;

function keepUnsaved(id: string, edited: Edited | null): void {
  unsaved.delete(id);
  if (edited !== null) unsaved.set(id, edited);
  const [oldest] = unsaved.keys();
  if (MAX_UNSAVED < unsaved.size && oldest !== undefined) unsaved.delete(oldest);
}

function Content({ memory, versions, again }: Read & { again: () => void }) {
  const [edited, setEditedState] = useState(() => unsaved.get(memory.id) ?? null);
  const setEdited = (next: Edited | null) => {
    keepUnsaved(memory.id, next);
    setEditedState(next);
  };
  const action = useAction();
  const act = (work: () => Promise<unknown>, done = () => setEdited(null)) =>
    action.start(async () => {
      try {
        await work();
        done();
      } finally {
        // A failure may be a change by another client, which is then shown beside the draft.
        again();
      }
    });
  // While the own save is on its way, a newer version may be its own.
  const changed = edited !== null && !action.busy && memory.version !== edited.base.version;
  return (
    <>
      {action.problem !== undefined && !changed && <RecordsProblem problem={action.problem} />}
      {edited !== null ? (
        <>
          {changed && (
            <Conflict
              theirs={memory}
              draft={edited.draft}
              busy={action.busy}
              onTakeTheirs={() => setEdited(null)}
              onKeepMine={() => {
                action.forget();
                setEdited({ base: memory, draft: rebased(edited.draft, edited.base, memory) });
              }}
              onRestore={() => act(() => restore(memory.id), () => undefined)}
            />
          )}
          <EditForm
            memory={edited.base}
            draft={edited.draft}
            onDraft={(draft) => setEdited({ ...edited, draft })}
            busy={action.busy}
            undecided={changed}
            onCancel={() => {
              setEdited(null);
              action.forget();
            }}
            onSave={(args) => act(() => ownTool("memory", "update", args))}
          />
        </>
      ) : (
        <>
          <p class="record-prose">{visible(memory.content ?? "")}</p>
          <Actions memory={memory} busy={action.busy} onEdit={() => setEdited({ base: memory, draft: draftOf(memory) })} act={act} />
        </>
      )}
      <Facts facts={facts(memory)} />
      <History
        versions={versions}
        busy={action.busy}
        {...(memory.status === "active" && edited === null ? { onUse: (version: Version) => act(() => putBack(memory, version)) } : {})}
      />
    </>
  );
}

/** Puts an earlier version in the place of the current one, which stays in the history. */
async function putBack(memory: Memory, version: Version): Promise<void> {
  const { content, namespace, tags } = version;
  const args = edits(memory, { ...draftOf(memory), content, namespace, tags: tags.join(" ") });
  if (args !== undefined) await ownTool("memory", "update", args);
}

type ActionsProps = {
  memory: Memory;
  busy: boolean;
  onEdit: () => void;
  act: (work: () => Promise<unknown>) => void;
};

function Actions({ memory, busy, onEdit, act }: ActionsProps) {
  const [asking, setAsking] = useState(false);
  const { id } = memory;
  return (
    <div class="actions">
      {memory.status === "active" ? (
        <>
          <button type="button" disabled={busy} onClick={onEdit}>
            Edit
          </button>
          <button type="button" class="danger" disabled={busy} onClick={() => setAsking(true)}>
            Delete
          </button>
        </>
      ) : (
        <button type="button" class="primary" disabled={busy} onClick={() => act(() => restore(id))}>
          Restore
        </button>
      )}
      <CopyButton text={memory.content ?? ""} label="Copy text" />
      {asking && (
        <Confirm title="Delete this memory?" action="Delete" onYes={() => act(() => remove(id))} onClose={() => setAsking(false)}>
          <p>Assistants no longer find it. You can restore it for a while.</p>
        </Confirm>
      )}
    </div>
  );
}

function facts(memory: Memory): ComponentProps<typeof Facts>["facts"] {
  const tags = memory.tags.map((tag) => (
    <Badge key={tag}>
      <Foreign text={tag} max={64} />
    </Badge>
  ));
  return [
    ["Namespace", <Foreign key="namespace" text={memory.namespace} />],
    ["Tags", tags.length === 0 ? "none" : <span class="record-badges">{tags}</span>],
    ["Status", memory.status ?? "active"],
    ["Who can see it", <Foreign key="scope" text={memory.scope} />],
    memory.project === undefined ? null : ["Project", <Foreign key="project" text={memory.project} max={500} />],
    memory.source === undefined ? null : ["Source", <Foreign key="source" text={memory.source} max={500} />],
    ["Captured", <When key="created" at={memory.created_at} />],
    ["Changed", <When key="updated" at={memory.updated_at} />],
    memory.expires_at === undefined ? null : ["Valid until", <When key="expires" at={memory.expires_at} />],
    memory.superseded_by === undefined
      ? null
      : ["Superseded by", <a key="by" href={href("memory", memory.superseded_by)}>another memory</a>],
    ["Id", <code key="id">{memory.id}</code>],
  ];
}
