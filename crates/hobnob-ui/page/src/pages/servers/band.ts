// A server's last hour as stretches of time in which it was in one phase; less than an hour if the hub
// has known it for less. Pure; `history.tsx` draws it.

import { durationText } from "../../format.ts";
import type { Phase, PhaseChange } from "../../types.ts";

/** What a phase means for those who want to call the server. */
export type Condition = "up" | "busy" | "waits" | "down" | "rests" | "unknown";

export type Stretch = { from: number; to: number; condition: Condition };

const HOUR_MS = 3_600_000;
/** A shorter band would move too fast to be read. */
const MIN_MS = 300_000;

const WORDS: Record<Condition, string> = {
  up: "ready",
  busy: "starting",
  waits: "waiting for a person",
  down: "failed",
  rests: "not running",
  unknown: "unknown",
};

export function conditionOf(phase: Phase): Condition {
  switch (phase) {
    case "ready":
      return "up";
    case "starting":
    case "installing":
      return "busy";
    case "needs-approval":
    case "needs-login":
      return "waits";
    case "failed":
    case "resting":
    case "misconfigured":
    case "refused":
      return "down";
    default:
      return "rests";
  }
}

/** How far back a band reaches. */
export function spanOf(changes: readonly PhaseChange[], now: number): number {
  const first = Date.parse(changes[0]?.at ?? "");
  return Number.isNaN(first) ? HOUR_MS : Math.min(HOUR_MS, Math.max(MIN_MS, now - first));
}

/** The stretches of the time before `now`, without gaps; changes come oldest first. */
export function stretches(changes: readonly PhaseChange[], now: number): Stretch[] {
  const start = now - spanOf(changes, now);
  const found: Stretch[] = [];
  const add = (from: number, to: number, condition: Condition) => {
    const begin = Math.max(start, from);
    const end = Math.min(now, to);
    if (end <= begin) return;
    const last = found.at(-1);
    if (last && last.condition === condition && last.to === begin) last.to = end;
    else found.push({ from: begin, to: end, condition });
  };
  let since = start;
  let condition: Condition = "unknown";
  for (const change of changes) {
    const at = Date.parse(change.at);
    if (Number.isNaN(at) || at < since) {
      if (!Number.isNaN(at)) condition = conditionOf(change.phase);
      continue;
    }
    add(since, at, condition);
    since = at;
    condition = conditionOf(change.phase);
  }
  add(since, now, condition);
  return found;
}

/** `ready for 50 min, failed for 10 min in the last hour`, the longest first; what is not known is left out. */
export function bandWords(band: readonly Stretch[]): string {
  const sums = new Map<Condition, number>();
  for (const { from, to, condition } of band) sums.set(condition, (sums.get(condition) ?? 0) + to - from);
  const parts = [...sums].filter(([condition]) => condition !== "unknown").sort((left, right) => right[1] - left[1]);
  const words = parts.map(([condition, ms]) => {
    // Seconds of a stretch that lasts for minutes would only make the words restless.
    const unit = ms < 60_000 ? 1_000 : 60_000;
    return `${WORDS[condition]} for ${durationText(Math.max(1, Math.round(ms / unit)) * unit * 1000)}`;
  });
  return words.length === 0 ? "nothing is known of the last hour" : `${words.join(", ")} in the last hour`;
}

/** How often it was started in the last hour. */
export function startsIn(changes: readonly PhaseChange[], now: number): number {
  const recent = (change: PhaseChange) => now - HOUR_MS <= Date.parse(change.at);
  return changes.filter((change) => change.phase === "starting" && recent(change)).length;
}
