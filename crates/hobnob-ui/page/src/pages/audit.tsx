// Audit: the log of what was done and by whom, newest first, with a filter; it can be followed.
// The log has no arguments and no results, so there are none to show.

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, errorText, get } from "../api.ts";
import { outcomeText } from "../format.ts";
import { closeDialog, href, openDialog, route } from "../router.ts";
import { changes } from "../state.ts";
import type { AuditLine, AuditPage } from "../types.ts";
import { Badge, type Column, Duration, Empty, ErrorNote, Foreign, Loading, Outcome, Page, SearchField, Table, TimeOfDay, useRemembered } from "../ui/index.ts";
import { LineDetails } from "./audit/details.tsx";
import { auditQuery, extended, isFault, joined, lineId, lineKey, MAX_LINES, OUTCOMES, targetOf } from "./audit/lines.ts";
import { useLoaded } from "./memory_and_others/loading.ts";
import { commandIn, Off } from "./memory_and_others/off.tsx";
import { useSettled } from "./memory_and_others/settled.ts";
import "./audit/audit.css";

export default function Audit() {
  const [words, setWords] = useRemembered("audit words", "");
  const [outcome, setOutcome] = useRemembered("audit outcome", "");
  const [follow, setFollow] = useRemembered("audit follow", true);
  const settled = useSettled(words);
  const log = useLog({ words: settled, outcome }, follow);
  const opened = useOpened(log.page?.lines ?? []);
  const download = `/ui/api/audit/export`;
  return (
    <Page
      title="Audit"
      about="What was done, by whom, and what allowed it. The log holds no arguments and no results."
      actions={
        <a class="button" href={download} download="hobnob-audit.jsonl">
          Export
        </a>
      }
    >
      <div class="audit-filters">
        <SearchField label="Filter by words" value={words} onInput={setWords} />
        <label>
          <span>Outcome</span>
          <select value={outcome} onChange={(event) => setOutcome(event.currentTarget.value)}>
            <option value="">all</option>
            {OUTCOMES.map((word) => (
              <option key={word} value={word}>
                {outcomeText(word)}
              </option>
            ))}
          </select>
        </label>
        <label class="record-check">
          <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} />
          Follow
        </label>
      </div>
      {log.problem !== undefined && <Problem problem={log.problem} again={log.again} />}
      {log.page === undefined && log.problem === undefined && <Loading what="the log" />}
      {log.page !== undefined && (
        <div class="panel">
          <Table
            label="Lines of the audit log, newest first"
            columns={COLUMNS}
            rows={log.page.lines}
            rowKey={lineKey}
            max={MAX_LINES}
            compact
            opened={opened ? lineKey(opened) : null}
            onOpen={(line) => openDialog(href("audit", lineId(line)))}
            empty={<Nothing filtered={settled.trim() !== "" || outcome !== ""} />}
          />
        </div>
      )}
      {log.more !== undefined && (
        <button type="button" disabled={log.busy} onClick={log.more}>
          {log.busy ? "Loading …" : "Show older lines"}
        </button>
      )}
      {opened !== undefined && <LineDetails line={opened} onClose={() => closeDialog(href("audit"))} />}
    </Page>
  );
}

/** The line that the address names; it stays open when newer lines push it out. */
function useOpened(lines: readonly AuditLine[]): AuditLine | undefined {
  const [id] = route.value.rest;
  const held = useRef<{ id: string; line: AuditLine } | undefined>(undefined);
  if (id === undefined) held.current = undefined;
  else if (held.current?.id !== id) {
    const line = lines.find((candidate) => lineId(candidate) === id);
    held.current = line && { id, line };
  }
  return held.current?.line;
}

function Problem({ problem, again }: { problem: unknown; again: () => void }) {
  if (!(problem instanceof ApiError && problem.status === 404)) {
    return <ErrorNote message={errorText(problem)} retry={again} />;
  }
  return <Off title="The audit log is off" command={commandIn(problem.message) ?? SWITCH_ON} />;
}

const SWITCH_ON = "hobnob config set audit.enabled true";

function Nothing({ filtered }: { filtered: boolean }) {
  if (filtered) return <Empty title="No line fits">Take words out of the filter, or choose all outcomes.</Empty>;
  return (
    <Empty title="The log is empty">Each call is a line once it has ended.</Empty>
  );
}

type Log = {
  page: AuditPage | undefined;
  problem: unknown;
  busy: boolean;
  again: () => void;
  /** Loads an older page, if there is one. */
  more: (() => void) | undefined;
};

/** The log by a filter: the newest page, what joins it below, and older pages on demand. */
function useLog(filter: { words: string; outcome: string }, follow: boolean): Log {
  const question = auditQuery(filter, null);
  // While the page does not follow, the counter stands still for the loader.
  const held = useRef(changes.audit.value);
  const counter = changes.audit.value;
  if (follow) held.current = counter;
  const newest = useLoaded(question, held.current, (stop) => get<AuditPage>(`/ui/api/audit?${question}`, stop));
  const [shown, setShown] = useState<{ question: string; page: AuditPage } | undefined>();
  const [older, setOlder] = useState<{ busy: boolean; problem: unknown }>({ busy: false, problem: undefined });
  const current = useRef(question);
  current.current = question;

  useEffect(() => {
    const page = newest.value;
    if (page === undefined) return;
    setShown((old) => ({ question, page: old?.question === question ? joined(page, old.page) : page }));
  }, [newest.value]);

  const page = shown?.question === question ? shown.page : undefined;
  const more = async () => {
    const before = page?.next;
    if (before === null || before === undefined) return;
    setOlder({ busy: true, problem: undefined });
    try {
      const found = await get<AuditPage>(`/ui/api/audit?${auditQuery(filter, before)}`);
      // Meanwhile the filter may have changed, or newer lines may have cut these off.
      setShown((old) => {
        if (old?.question !== current.current || old.page.next !== before) return old;
        return { question: old.question, page: extended(old.page, found) };
      });
      setOlder({ busy: false, problem: undefined });
    } catch (problem) {
      setOlder({ busy: false, problem });
    }
  };
  return {
    page,
    problem: newest.problem ?? older.problem,
    busy: older.busy,
    again: newest.again,
    more: page === undefined || page.next === null || MAX_LINES <= page.lines.length ? undefined : () => void more(),
  };
}

const COLUMNS: readonly Column<AuditLine>[] = [
  { id: "at", title: "Time", narrow: true, cell: (line) => <LineTime at={line.at} /> },
  { id: "client", title: "Client", cell: (line) => <Foreign text={line.client ?? line.principal} max={40} /> },
  { id: "what", title: "What", wide: true, narrow: true, cell: (line) => <What line={line} /> },
  { id: "server", title: "Server", cell: (line) => <Foreign text={line.server} max={40} /> },
  { id: "decision", title: "Decision", cell: (line) => <Foreign text={line.decision} /> },
  {
    id: "outcome",
    title: "Outcome",
    narrow: true,
    cell: (line) => line.outcome && <Outcome outcome={line.outcome} code={line.code} />,
  },
  {
    id: "took",
    title: "Took",
    numeric: true,
    cell: (line) => <Duration us={line.duration_us} />,
  },
];

function LineTime({ at }: { at: string }) {
  const today = new Date(at).toDateString() === new Date().toDateString();
  return (
    <span class="audit-time">
      {!today && `${at.slice(0, 10)} `}
      <TimeOfDay at={at} />
    </span>
  );
}

function What({ line }: { line: AuditLine }) {
  if (isFault(line)) {
    return (
      <span>
        <Badge tone="bad">log</Badge> <Foreign text={targetOf(line)} />
      </span>
    );
  }
  const target = targetOf(line);
  return (
    <span>
      {line.method !== undefined && line.method !== "tools/call" && (
        <span class="quiet">
          <Foreign text={line.method} max={60} />{" "}
        </span>
      )}
      {target !== "" && <Foreign text={target} max={120} />}
      {line.repeated !== undefined && <Badge tone="warn">and {line.repeated} more</Badge>}
    </span>
  );
}
