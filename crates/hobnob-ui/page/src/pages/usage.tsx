// Usage: what was called, how often, how fast, and how many tokens it cost, over days.
// The hub aggregates it in its store; nothing here counts calls itself.

import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { ApiError, errorText, get } from "../api.ts";
import { countText, durationText } from "../format.ts";
import { changes } from "../state.ts";
import type { Usage, UsageBy, UsageRow } from "../types.ts";
import { type Column, Duration, Empty, ErrorNote, Foreign, Loading, Page, Panel, Table, When } from "../ui/index.ts";
import { Plot, type PlotData, type PlotLine } from "../draw/plot.tsx";
import { Choice } from "./memory_and_others/choice.tsx";
import { useLoaded } from "./memory_and_others/loading.ts";
import { commandIn, Off } from "./memory_and_others/off.tsx";
import { countData, durationData, highest, joinedBuckets, tokenData, totals } from "./usage/series.ts";
import "./usage/usage.css";

const DAYS = [
  { value: "1", title: "1 day" },
  { value: "7", title: "7 days" },
  { value: "30", title: "30 days" },
] as const;
type Days = (typeof DAYS)[number]["value"];

const GROUPS: readonly { value: UsageBy; title: string }[] = [
  { value: "tool", title: "Tool" },
  { value: "server", title: "Server" },
  { value: "client", title: "Client" },
  { value: "principal", title: "Principal" },
];

// What was chosen stays while a person looks at other parts.
const chosenDays = signal<Days>("7");
const chosenGroup = signal<UsageBy>("tool");

export default function UsagePage() {
  const days = chosenDays.value;
  const by = chosenGroup.value;
  const address = `/ui/api/usage?days=${days}&by=${by}`;
  const { value, problem, again } = useLoaded(address, changes.usage.value, (stop) => get<Usage>(address, stop));
  return (
    <Page
      title="Usage"
      about="What was called, how fast, and what it cost. Tokens are estimates from the sizes of requests and results. What you do on this page is not counted."
      actions={
        <>
          <Choice label="Days" choices={DAYS} chosen={days} onChoose={(next) => (chosenDays.value = next)} />
          <Choice label="Group by" choices={GROUPS} chosen={by} onChoose={(next) => (chosenGroup.value = next)} />
        </>
      }
    >
      {problem !== undefined && <Problem problem={problem} again={again} />}
      {value === undefined && problem === undefined && <Loading what="the usage" />}
      {value !== undefined && <Figures usage={value} by={by} />}
    </Page>
  );
}

function Problem({ problem, again }: { problem: unknown; again: () => void }) {
  if (!(problem instanceof ApiError && problem.status === 404)) {
    return <ErrorNote message={errorText(problem)} retry={again} />;
  }
  const command = commandIn(problem.message) ?? "hobnob config set usage.enabled true";
  return <Off title="Usage is off" command={command} />;
}

function Figures({ usage, by }: { usage: Usage; by: UsageBy }) {
  const group = GROUPS.find((one) => one.value === by)?.title ?? "Name";
  if (usage.rows.length === 0) {
    return <Empty title="Nothing was called in these days">Calls appear here within a minute. What you do on this page is not counted.</Empty>;
  }
  return (
    <>
      <Totals usage={usage} />
      <Plots usage={usage} />
      <Panel title={`By ${group.toLowerCase()}`}>
        <Table
          label={`Usage by ${group.toLowerCase()}`}
          columns={columns(group)}
          rows={usage.rows}
          rowKey={(row) => row.name}
          sortBy={{ id: "calls", down: true }}
        />
      </Panel>
    </>
  );
}

function Totals({ usage }: { usage: Usage }) {
  const { calls, errors, requestTokens, resultTokens } = totals(usage);
  const figures: [string, string, string?][] = [
    ["Calls", countText(calls)],
    ["Errors", countText(errors), calls === 0 ? undefined : percent(errors, calls)],
    ["Tokens in", countText(requestTokens), "arguments"],
    ["Tokens out", countText(resultTokens), "results"],
  ];
  return (
    <dl class="usage-figures">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {note !== undefined && <span class="quiet small">{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function percent(part: number, whole: number): string {
  const share = (100 * part) / whole;
  return share > 0 && share < 0.1 ? "< 0.1 %" : `${share.toFixed(1)} %`;
}

const COUNT_LINES: readonly PlotLine[] = [
  { label: "Calls", color: "--accent", form: "bars" },
  { label: "Errors", color: "--bad", form: "bars" },
];
const DURATION_LINES: readonly PlotLine[] = [
  { label: "p50", color: "--accent", form: "dots" },
  { label: "p95", color: "--warn", form: "dots" },
];
const TOKEN_LINES: readonly PlotLine[] = [
  { label: "In", color: "--accent", form: "steps" },
  { label: "Out", color: "--good", form: "steps" },
];
/** `hour`, `15 min`, `2 h`. */
function span(seconds: number): string {
  const words: Record<number, string> = { 60: "minute", 3600: "hour", 86400: "day" };
  return words[seconds] ?? durationText(seconds * 1_000_000);
}

const milliseconds = (value: number) => (value === 0 ? "0" : durationText(value * 1000));

function Plots({ usage }: { usage: Usage }) {
  // New arrays at every rendering would draw the plots anew.
  const [counts, durations, tokens] = useMemo(
    () => {
      const width = usage.bucket_seconds;
      return [joinedBuckets(countData(usage), width), { data: durationData(usage), width }, joinedBuckets(tokenData(usage), width)] as const;
    },
    [usage],
  );
  const most = ({ data }: { data: PlotData }, format: (value: number) => string) => {
    const values = data.slice(1).map((line) => format(highest(line)));
    return values.join(" and ");
  };
  return (
    <div class="usage-plots">
      <Plot
        title="Calls and errors"
        summary={`per ${span(counts.width)}; most: ${most(counts, countText)}`}
        lines={COUNT_LINES}
        {...counts}
        format={countText}
      />
      <Plot
        title="Duration"
        summary={`per ${span(durations.width)}; longest: ${most(durations, milliseconds)}`}
        lines={DURATION_LINES}
        {...durations}
        format={milliseconds}
      />
      <Plot
        title="Tokens in and out"
        summary={`per ${span(tokens.width)}; most: ${most(tokens, countText)}`}
        lines={TOKEN_LINES}
        {...tokens}
        format={countText}
      />
    </div>
  );
}

function columns(group: string): readonly Column<UsageRow>[] {
  const count = (id: string, title: string, of: (row: UsageRow) => number): Column<UsageRow> => ({
    id,
    title,
    numeric: true,
    sort: of,
    cell: (row) => countText(of(row)),
  });
  const duration = (id: string, of: (row: UsageRow) => number | null): Column<UsageRow> => ({
    id,
    title: id,
    numeric: true,
    sort: (row) => of(row) ?? -1,
    cell: (row) => <Duration us={of(row)} />,
  });
  return [
    {
      id: "name",
      title: group,
      wide: true,
      sort: (row) => row.name,
      // The owner, and a caller without a name, have an empty one.
      cell: (row) => (row.name === "" ? <span class="quiet">no name</span> : <Foreign text={row.name} max={80} />),
    },
    count("calls", "Calls", (row) => row.calls),
    count("errors", "Errors", (row) => row.errors),
    duration("p50", (row) => row.p50_us),
    duration("p95", (row) => row.p95_us),
    count("in", "Tokens in", (row) => row.request_tokens),
    count("out", "Tokens out", (row) => row.result_tokens),
    { id: "last", title: "Last", sort: (row) => row.last, cell: (row) => <When at={row.last} /> },
  ];
}
