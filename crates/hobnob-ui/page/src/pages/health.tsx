// Health: what the hub says about itself, limits near their bounds, and advice.

import { errorText, get } from "../api.ts";
import { bytesText, durationText } from "../format.ts";
import { changes, status } from "../state.ts";
import type { AdviceItem, Health } from "../types.ts";
import { Badge, Bytes, CopyButton, Duration, Empty, ErrorNote, Facts, Foreign, Loading, Note, Page, Panel } from "../ui/index.ts";
import { byNearness, FULL, type Limit, MIN_FREE_BYTES, NEAR, nearness, shareText } from "./health/limits.ts";
import { Processes } from "./health/processes.tsx";
import { useLoaded } from "./memory_and_others/loading.ts";
import { commandIn } from "./memory_and_others/off.tsx";
import "./health/health.css";

export default function HealthPage() {
  // The hub tells when a limit is nearer or further away; servers and problems change the rest.
  const changed = changes.health.value + changes.tools.value + changes.rules.value + (status.value?.problems?.length ?? 0);
  const { value, problem, busy, again } = useLoaded("health", changed, (stop) => get<Health>("/ui/api/health", stop));
  return (
    <Page
      title="Health"
      about="The hub itself: its version, its store, its limits."
      actions={
        <button type="button" disabled={busy} onClick={again}>
          Look again
        </button>
      }
    >
      {problem !== undefined && <ErrorNote message={errorText(problem)} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="the hub's health" />}
      {value !== undefined && <Findings health={value} />}
    </Page>
  );
}

function Findings({ health }: { health: Health }) {
  return (
    <>
      {health.problems.length > 0 && (
        <Panel title="Problems">
          <ul class="health-findings bad">
            {health.problems.map((text) => (
              <li key={text}>
                <Foreign text={text} max={2_000} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Panel title="Advice">
        {health.advice.length === 0 ? (
          <Empty title="Nothing to do">The hub has found nothing that you should change.</Empty>
        ) : (
          <ul class="health-findings">
            {health.advice.map((item) => (
              <Advice key={item.message} item={item} />
            ))}
          </ul>
        )}
      </Panel>
      <div class="health-columns">
        <Panel title="Hub">
          <Facts facts={hubFacts(health)} />
        </Panel>
        <Panel title="Store and log">
          <Storage health={health} />
        </Panel>
      </div>
      <Panel title="Limits">
        {health.limits.length === 0 ? (
          <p class="quiet">The hub reports no limits.</p>
        ) : (
          <ul class="health-limits">
            {byNearness(health.limits).map((limit) => (
              <LimitLine key={limit.name} limit={limit} />
            ))}
          </ul>
        )}
      </Panel>
      {health.processes.length > 0 && (
        <Panel title="Processes of servers">
          <Processes processes={health.processes} />
        </Panel>
      )}
    </>
  );
}

function hubFacts(health: Health) {
  return [
    ["Version", health.version],
    ["Newest revision", health.revision],
    ["SQLite", health.sqlite],
    ["Project", <Foreign key="project" text={health.project} max={500} />],
    ["Listens at", <Foreign key="listener" text={health.listener} max={200} />],
    ["Running for", <Duration key="uptime" us={health.uptime_seconds * 1_000_000} />],
    ["Process", String(health.pid)],
    ["Memory", <Bytes key="memory" bytes={health.process?.resident_bytes} />],
    ["Computing time", health.process === null ? "unknown" : durationText(Math.max(1, health.process.cpu_ms) * 1000)],
    ["Instance", <Foreign key="instance" text={health.instance} />],
  ] as const;
}

const LEVELS = {
  note: { tone: "info", words: "could be better" },
  warning: { tone: "warn", words: "warning" },
  broken: { tone: "bad", words: "does not work" },
} as const;

/** A remedy that is a command, or names one in backquotes, can be copied. */
function Advice({ item }: { item: AdviceItem }) {
  const { tone, words } = LEVELS[item.level] ?? LEVELS.note;
  const remedy = item.remedy ?? "";
  const command = /^(hobnob|chmod) /.test(remedy) ? remedy : commandIn(remedy);
  return (
    <li>
      <Badge tone={tone}>{words}</Badge> <Foreign text={item.message} max={2_000} />
      {remedy !== "" && (
        <p class="how">
          What helps: <Foreign text={remedy} max={2_000} /> {command !== undefined && <CopyButton text={command} label="Copy command" />}
        </p>
      )}
    </li>
  );
}

function Storage({ health }: { health: Health }) {
  const { store, audit } = health;
  const scarce = store !== null && store.free_bytes < MIN_FREE_BYTES;
  return (
    <>
      {scarce && (
        <Note tone="warn">
          Little space is left where the store is: <Bytes bytes={store.free_bytes} />. Free some before it is full.
        </Note>
      )}
      <Facts
        facts={[
          store === null ? ["Store", "off: nothing is remembered"] : ["Store", <Foreign key="path" text={store.path} max={500} />],
          store && ["Size", <Bytes key="bytes" bytes={store.bytes} />],
          store && ["Free on disk", <Bytes key="free" bytes={store.free_bytes} />],
          ["Audit log", audit.enabled ? <Foreign key="audit" text={audit.path} max={500} /> : "off"],
          audit.enabled ? ["Size of the log", <Bytes key="log" bytes={audit.bytes} />] : null,
        ]}
      />
    </>
  );
}

function LimitLine({ limit }: { limit: Limit }) {
  const state = nearness(limit);
  const amount = (value: number) => (limit.unit === "bytes" ? bytesText(value) : value.toLocaleString("en-US"));
  const words = `${amount(limit.used)} of ${amount(limit.max)}`;
  return (
    <li class={`health-limit ${state}`}>
      <span class="health-limit-name">
        <Foreign text={limit.name} max={80} />
      </span>
      <meter aria-label={limit.name} min={0} max={limit.max} low={limit.max * NEAR} high={limit.max * FULL} optimum={0} value={limit.used}>
        {words}
      </meter>
      <span class="health-limit-words">
        {words} <span class="quiet">({shareText(limit)})</span>
      </span>
      {state === "full" && <Badge tone="bad">at its bound</Badge>}
      {state === "near" && <Badge tone="warn">near its bound</Badge>}
      {state !== "fine" && (
        <p class="how">
          What helps: <Foreign text={limit.remedy} max={500} />
        </p>
      )}
    </li>
  );
}
