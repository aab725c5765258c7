// A server over time: a band of its last hour, how fast it answers, what it uses, and its changes.
// The list of servers and the page of each of them show it.

import { computed } from "@preact/signals";
import { useState } from "preact/hooks";
import { errorText, get } from "../../api.ts";
import { durationText, shorten } from "../../format.ts";
import { status } from "../../state.ts";
import type { PhaseChange, ServerHistories, ServerHistory as History } from "../../types.ts";
import { Bytes, clock, type Column, Duration, Empty, ErrorNote, Facts, Foreign, Loading, Panel, Table, Text, TimeOfDay } from "../../ui/index.ts";
import { useLoaded } from "../memory_and_others/loading.ts";
import { bandWords, spanOf, startsIn, stretches } from "./band.ts";
import { PhaseBadge } from "./phase.tsx";
import "./history.css";

/** Memory and computing time have no events, so they are read anew now and then while they are seen. */
const INTERVAL_MS = 5_000;
const tick = computed(() => Math.floor(clock.value / INTERVAL_MS));
/** A server that changes its phase is read at once. */
const phases = computed(() => (status.value?.servers ?? []).map((server) => `${server.name} ${server.phase} ${server.starts}`).join("\n"));
const changes = { of: "", count: 0 };
const changed = computed(() => {
  const now = `${tick.value} ${phases.value}`;
  if (changes.of !== now) Object.assign(changes, { of: now, count: changes.count + 1 });
  return changes.count;
});

const MAX_SHOWN = 20;
const MAX_LINE = 160;

/** All servers over time, by name; for the list. Empty until the first answer. */
export function useHistories(): ReadonlyMap<string, History> {
  const { value } = useLoaded("histories", changed.value, (stop) => get<ServerHistories>("/ui/api/histories", stop));
  return new Map((value?.servers ?? []).map((server) => [server.name, server]));
}

/** Columns for a list of servers: the last hour, how fast each answers, and its memory. */
export function historyColumns<Row extends { name: string }>(histories: ReadonlyMap<string, History>): readonly Column<Row>[] {
  const of = (row: Row) => histories.get(row.name);
  const p95 = (row: Row) => of(row)?.calls?.p95_us ?? null;
  const memory = (row: Row) => of(row)?.process?.resident_bytes ?? null;
  return [
    { id: "hour", title: "Last hour", cell: (row) => <PhaseBand changes={of(row)?.changes ?? []} /> },
    { id: "p95", title: "95 % within", numeric: true, cell: (row) => <Duration us={p95(row)} />, sort: (row) => p95(row) ?? -1 },
    { id: "memory", title: "Memory", numeric: true, cell: (row) => <Bytes bytes={memory(row)} />, sort: (row) => memory(row) ?? -1 },
  ];
}

/** One server over time; for its own page. */
export function ServerHistory({ name }: { name: string }) {
  const path = `/ui/api/servers/${encodeURIComponent(name)}/history`;
  const { value, problem, again } = useLoaded(path, changed.value, (stop) => get<ServerHistories>(path, stop));
  const history = value?.servers[0];
  return (
    <Panel title="The last hour">
      {problem !== undefined && <ErrorNote message={errorText(problem)} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="the server's history" />}
      {history !== undefined && (
        <>
          <PhaseBand changes={history.changes} wide />
          <Figures history={history} since={value?.calls_since ?? null} />
          <Changes changes={history.changes} />
        </>
      )}
    </Panel>
  );
}

export function PhaseBand({ changes: all, wide = false }: { changes: readonly PhaseChange[]; wide?: boolean }) {
  const now = clock.value;
  const band = stretches(all, now);
  const words = bandWords(band);
  const seconds = spanOf(all, now) / 1000;
  return (
    <figure class={wide ? "phase-band wide" : "phase-band"}>
      <svg viewBox={`0 0 ${seconds} 10`} preserveAspectRatio="none" role="img" aria-label={words}>
        <title>{words}</title>
        {band.map(({ from, to, condition }) => (
          <rect key={from} class={condition} x={seconds - (now - from) / 1000} width={Math.max(seconds / 300, (to - from) / 1000)} y={0} height={10} />
        ))}
      </svg>
      {wide && (
        <figcaption class="quiet small">
          <span>{durationText(Math.round(seconds / 60) * 60_000_000)} ago</span>
          <span>{words}</span>
          <span>now</span>
        </figcaption>
      )}
    </figure>
  );
}

function Figures({ history, since }: { history: History; since: string | null }) {
  const { calls, process } = history;
  const span = since === null ? "15 min" : durationText(Math.max(1, Math.floor((clock.value - Date.parse(since)) / 1000)) * 1_000_000);
  return (
    <Facts
      facts={[
        [`Calls in ${span}`, calls === null ? "none" : String(calls.calls)],
        calls && ["Failed", calls.errors === 0 ? "none" : `${calls.errors} (${percent(calls.errors, calls.calls)})`],
        calls && ["Half answered within", <Duration us={calls.p50_us} />],
        calls && ["95 % answered within", <Duration us={calls.p95_us} />],
        process && ["Memory", <Bytes bytes={process.resident_bytes} />],
        process && ["Computing time", durationText(Math.max(1, process.cpu_ms) * 1000)],
        process && ["Processes", String(process.processes)],
        ["Started in the last hour", times(startsIn(history.changes, clock.value))],
      ]}
    />
  );
}

function times(count: number): string {
  return count === 0 ? "never" : count === 1 ? "once" : `${count} times`;
}

function percent(part: number, all: number): string {
  const share = (part / Math.max(1, all)) * 100;
  return share < 1 ? "under 1 %" : `${Math.round(share)} %`;
}

const COLUMNS: readonly Column<PhaseChange>[] = [
  { id: "at", title: "When", cell: (change) => <TimeOfDay at={change.at} /> },
  { id: "phase", title: "State", cell: (change) => <PhaseBadge phase={change.phase} /> },
  { id: "why", title: "Why", wide: true, cell: (change) => <Reason reason={change.reason} /> },
];

function Changes({ changes: all }: { changes: readonly PhaseChange[] }) {
  const [open, setOpen] = useState(false);
  const newest = [...all].reverse();
  return (
    <>
      <Table
        label="Changes of state"
        columns={COLUMNS}
        rows={open ? newest : newest.slice(0, MAX_SHOWN)}
        rowKey={(change) => `${change.at} ${change.phase}`}
        empty={<Empty title="Nothing has changed since the hub started" />}
      />
      {!open && MAX_SHOWN < all.length && (
        <button type="button" onClick={() => setOpen(true)}>
          Show all {all.length} changes
        </button>
      )}
    </>
  );
}

/** The whole reason of a failure, on request if it is long. */
function Reason({ reason }: { reason: string | undefined }) {
  if (reason === undefined) return <span class="quiet">–</span>;
  if (reason.length <= MAX_LINE && !reason.includes("\n")) return <Foreign text={reason} max={MAX_LINE} />;
  const first = shorten(reason.split("\n")[0] ?? "", MAX_LINE);
  return (
    <details class="reason">
      <summary>
        <Foreign text={first} max={MAX_LINE} />
      </summary>
      <Text text={reason} label="The whole reason" />
    </details>
  );
}
