// Now: the calls that run, those that have just ended, and how many there were in the last minutes.
// The lists are capped and follow the stream at most four times a second.

import { signal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { countText } from "../format.ts";
import { isOwnRead } from "../own_calls.ts";
import { closeDialog, href, openDialog, route } from "../router.ts";
import { known, othersTimeline, recent, running, timeline as allTimeline } from "../state.ts";
import type { Call, EndedCall } from "../types.ts";
import { clock, keptSwitch, Page, Panel, SearchField, useSampled } from "../ui/index.ts";
import { CallDialog, EndedCalls } from "./now/ended.tsx";
import { matches, words } from "./now/filter.ts";
import { RunningCalls } from "./now/running.tsx";
import { TimelineChart } from "./now/timeline_chart.tsx";
import { AddFirstServer } from "./servers/first.tsx";

const filter = signal("");
const onlyProblems = signal(false);
const withoutPage = keptSwitch("without-page", true);

/** Above this many calls in 5 seconds, nobody reads the rows as they pass: they follow more slowly. */
const BUSY_CALLS = 100;
const CALM_MS = 250;
const BUSY_MS = 1000;

const amount = (count: number, what: string) => `${countText(count)} ${what}${count === 1 ? "" : "s"}`;

/** The call that the address names; it stays open when newer calls push it out of the list. */
function useOpened(calls: readonly EndedCall[]): EndedCall | undefined {
  const [id] = route.value.rest;
  const held = useRef<EndedCall | undefined>(undefined);
  if (id === undefined || String(held.current?.id) !== id) held.current = calls.find((call) => String(call.id) === id);
  return held.current;
}

export default function Now() {
  const others = withoutPage.value.value;
  const timeline = others ? othersTimeline : allTimeline;
  const pace = BUSY_CALLS < timeline.total(clock.value, 5).calls ? BUSY_MS : CALM_MS;
  const calls = useSampled(running, pace);
  const live = useSampled(recent, pace);
  const [frozen, setFrozen] = useState<readonly EndedCall[] | null>(null);
  const opened = useOpened(frozen ?? live);
  const wanted = words(filter.value);
  const counts = (call: Call) => !others || !isOwnRead(call);
  const counted = [...calls.values()].filter(counts);
  const shownRunning = counted.filter((call) => matches(call, wanted));
  const ended = (frozen ?? live).filter(
    (call) => counts(call) && matches(call, wanted) && (!onlyProblems.value || call.outcome !== "ok"),
  );
  const minute = timeline.total(clock.value, 60);
  return (
    <Page
      title="Now"
      about={
        known.value &&
        `${counted.length} running · ${amount(minute.calls, "call")} and ${amount(minute.bad, "error")} in the last minute`
      }
    >
      <AddFirstServer />
      <Panel title="The last 5 minutes">
        <TimelineChart timeline={timeline} />
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
        <label class="check" title="Leaves out what this page reads for itself from Hobnob's own tools">
          <input type="checkbox" checked={others} onChange={(event) => withoutPage.set(event.currentTarget.checked)} />
          Without this page
        </label>
      </div>
      <Panel title={known.value ? `Running (${shownRunning.length})` : "Running"}>
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
        <EndedCalls calls={ended} filtered={wanted.length > 0 || onlyProblems.value} onOpen={(call) => openDialog(href("now", String(call.id)))} />
      </Panel>
      {opened && <CallDialog call={opened} onClose={() => closeDialog(href("now"))} />}
    </Page>
  );
}
