// Now: the calls that run, those that have just ended, and how many there were in the last minutes.
// The lists are capped and follow the stream at most four times a second.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { countText } from "../format.ts";
import { known, recent, running, timeline } from "../state.ts";
import type { EndedCall } from "../types.ts";
import { clock, Page, Panel, SearchField, useSampled } from "../ui/index.ts";
import { CallDialog, EndedCalls } from "./now/ended.tsx";
import { matches, words } from "./now/filter.ts";
import { RunningCalls } from "./now/running.tsx";
import { TimelineChart } from "./now/timeline_chart.tsx";

const filter = signal("");
const onlyProblems = signal(false);

/** Above this many calls in 5 seconds, nobody reads the rows as they pass: they follow more slowly. */
const BUSY_CALLS = 100;
const CALM_MS = 250;
const BUSY_MS = 1000;

const counted = (count: number, what: string) => `${countText(count)} ${what}${count === 1 ? "" : "s"}`;

export default function Now() {
  const pace = BUSY_CALLS < timeline.total(clock.value, 5).calls ? BUSY_MS : CALM_MS;
  const calls = useSampled(running, pace);
  const live = useSampled(recent, pace);
  const [frozen, setFrozen] = useState<readonly EndedCall[] | null>(null);
  const [opened, setOpened] = useState<EndedCall | null>(null);
  const wanted = words(filter.value);
  const shownRunning = [...calls.values()].filter((call) => matches(call, wanted));
  const ended = (frozen ?? live).filter(
    (call) => matches(call, wanted) && (!onlyProblems.value || call.outcome !== "ok"),
  );
  const minute = timeline.total(clock.value, 60);
  return (
    <Page
      title="Now"
      about={`${calls.size} running · ${counted(minute.calls, "call")} and ${counted(minute.bad, "error")} in the last minute`}
    >
      <Panel title="The last 5 minutes">
        <TimelineChart />
      </Panel>
      <div class="toolbar">
        <SearchField label="Filter calls" value={filter.value} onInput={(value) => (filter.value = value)} />
        <label class="check">
          <input
            type="checkbox"
            checked={onlyProblems.value}
            onChange={(event) => (onlyProblems.value = event.currentTarget.checked)}
          />
          Only problems
        </label>
      </div>
      <Panel title={`Running (${shownRunning.length})`}>
        <RunningCalls calls={shownRunning} filtered={wanted.length > 0} known={known.value} />
      </Panel>
      <Panel
        title="Ended"
        side={
          <button type="button" aria-pressed={frozen !== null} onClick={() => setFrozen(frozen === null ? recent.peek() : null)}>
            {frozen === null ? "Pause" : "Go on"}
          </button>
        }
      >
        <EndedCalls calls={ended} filtered={wanted.length > 0 || onlyProblems.value} onOpen={setOpened} />
      </Panel>
      {opened && <CallDialog call={opened} onClose={() => setOpened(null)} />}
    </Page>
  );
}
