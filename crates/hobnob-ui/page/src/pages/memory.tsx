// Memory: what assistants remember, found by words and filters, read, changed and restored.
// Everything goes through the memory tools, so rules and owners hold as for every client.

import { shorten, visible } from "../format.ts";
import { go, href, route } from "../router.ts";
import { changes } from "../state.ts";
import { Badge, Empty, Foreign, Loading, Page, useRemembered, When } from "../ui/index.ts";
import { FilterFields } from "./memory/filter_fields.tsx";
import { NO_FILTER, type MemoryFilter, filterText } from "./memory/filter.ts";
import { MemoryView } from "./memory/memory_view.tsx";
import { type Found, type Memory, readStatus, recall } from "./memory/tools.ts";
import { useLoaded } from "./memory_and_others/loading.ts";
import { RecordsProblem } from "./memory_and_others/problem.tsx";
import { useSettled } from "./memory_and_others/settled.ts";
import "./memory_and_others/split.css";
import "./memory/memory.css";

/** Memories that the list begins with, and that each "more" adds. */
const STEP = 100;

export default function MemoryPage() {
  const [query, setQuery] = useRemembered("memory query", "");
  const [filter, setFilter] = useRemembered("memory filter", NO_FILTER);
  const [wanted, setWanted] = useRemembered("memory wanted", STEP);
  const asked = useSettled(query);
  const settled = useSettled(filter);
  const question = JSON.stringify([asked, filterText(settled), wanted]);
  const { value, problem, busy, again } = useLoaded(question, changes.memory.value, (stop) =>
    recall(asked, settled, wanted, stop),
  );
  const [opened] = route.value.rest;
  const search = (next: { query?: string; filter?: MemoryFilter }) => {
    if (next.query !== undefined) setQuery(next.query);
    if (next.filter !== undefined) setFilter(next.filter);
    setWanted(STEP);
  };
  return (
    <Page title="Memory" about={<Summary />}>
      <FilterFields
        query={query}
        filter={filter}
        onQuery={(text) => search({ query: text })}
        onFilter={(changed) => search({ filter: changed })}
      />
      {problem !== undefined && <RecordsProblem problem={problem} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="memories" />}
      <div class={opened === undefined ? "records-split" : "records-split opened"}>
        {value !== undefined && (
          <MemoryList
            found={value}
            opened={opened}
            busy={busy}
            onMore={() => setWanted(wanted + STEP)}
            filtered={asked.trim() !== "" || filterText(settled) !== undefined}
          />
        )}
        {opened !== undefined && <MemoryView key={opened} id={opened} />}
      </div>
    </Page>
  );
}

/** How much is remembered; nothing if it cannot be read, since the list says why. */
function Summary() {
  const { value } = useLoaded("status", changes.memory.value, readStatus);
  if (value === undefined) return <>What your assistants remember.</>;
  const counts = Object.entries(value.memories).filter(([, count]) => count > 0);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const parts = counts.map(([scope, count]) => `${count.toLocaleString("en-US")} of scope ${scope}`).join(", ");
  const { model, embedded, total: all } = value.embeddings;
  const meaning = model === undefined ? "found by words" : `found by words and meaning (${embedded} of ${all} embedded)`;
  return (
    <>
      {total.toLocaleString("en-US")} {total === 1 ? "memory" : "memories"}{parts === "" ? "" : ` (${parts})`}, {meaning}.
    </>
  );
}

type ListProps = { found: Found; opened: string | undefined; busy: boolean; filtered: boolean; onMore: () => void };

function MemoryList({ found, opened, busy, filtered, onMore }: ListProps) {
  if (found.items.length === 0) {
    return filtered ? (
      <Empty title="No memory fits">{found.note ?? "Use other words, or fewer filters."}</Empty>
    ) : (
      <Empty title="Nothing is remembered yet">
        Say “remember that we release on Thursdays” to your assistant, or run{" "}
        <code>hobnob memory capture "We release on Thursdays" -n decisions</code>.
      </Empty>
    );
  }
  return (
    <section aria-label="Memories" class="record-list">
      {found.note !== undefined && <p class="quiet small">{found.note}</p>}
      <ul class="record-entries">
        {found.items.map((memory) => (
          <Entry key={memory.id} memory={memory} open={memory.id === opened} />
        ))}
      </ul>
      {found.more && (
        <button type="button" disabled={busy} onClick={onMore}>
          {busy ? "Loading …" : "Show more"}
        </button>
      )}
    </section>
  );
}

function Entry({ memory, open }: { memory: Memory; open: boolean }) {
  const passage = memory.snippet ?? memory.content ?? "";
  const status = memory.status ?? "active";
  return (
    <li>
      <button
        type="button"
        class="record-entry"
        aria-current={open ? "true" : undefined}
        onClick={() => go(open ? href("memory") : href("memory", memory.id))}
      >
        <span class="record-text">{shorten(visible(passage), 240)}</span>
        <span class="record-facts">
          <Badge tone="info">
            <Foreign text={memory.namespace} max={40} />
          </Badge>
          {memory.tags.slice(0, 6).map((tag) => (
            <Badge key={tag}>
              <Foreign text={tag} max={30} />
            </Badge>
          ))}
          {status !== "active" && <Badge tone="warn">{status}</Badge>}
          {memory.scope !== undefined && memory.scope !== "project" && <Badge>{memory.scope}</Badge>}
          {memory.score !== undefined && <span class="quiet small">score {memory.score.toFixed(2)}</span>}
          {memory.updated_at !== undefined && (
            <span class="quiet small">
              <When at={memory.updated_at} />
            </span>
          )}
        </span>
      </button>
    </li>
  );
}
