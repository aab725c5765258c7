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
import { EditForm } from "./edit_form.tsx";
import { History } from "./history.tsx";
import { draftOf, edits, type Memory, readHistory, readMemory, remove, restore, type Version } from "./tools.ts";

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

function Content({ memory, versions, again }: Read & { again: () => void }) {
  // The memory that is edited stays as it was when editing began, so that a change by another
  // client in the meantime is refused and not overwritten.
  const [edited, setEdited] = useState<Memory | null>(null);
  const action = useAction();
  const act = (work: () => Promise<unknown>) =>
    action.start(async () => {
      await work();
      setEdited(null);
      again();
    });
  return (
    <>
      {action.problem !== undefined && <RecordsProblem problem={action.problem} />}
      {edited !== null ? (
        <EditForm
          memory={edited}
          busy={action.busy}
          onCancel={() => {
            setEdited(null);
            action.forget();
          }}
          onSave={(args) => act(() => ownTool("memory", "update", args))}
        />
      ) : (
        <>
          <p class="record-prose">{visible(memory.content ?? "")}</p>
          <Actions memory={memory} busy={action.busy} onEdit={() => setEdited(memory)} act={act} />
        </>
      )}
      <Facts facts={facts(memory)} />
      <History
        versions={versions}
        busy={action.busy}
        {...(memory.status === "active" ? { onUse: (version: Version) => act(() => putBack(memory, version)) } : {})}
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
