// The figures of the page of usage: totals, and series as a plot needs them.
//
// The hub leaves out buckets without calls; here they become zeros for counts and gaps for
// durations, since no call has no duration.

import type { PlotData } from "../../draw/plot.tsx";
import type { Usage } from "../../types.ts";

export type Totals = {
  calls: number;
  errors: number;
  requestTokens: number;
  resultTokens: number;
};

/** Most points of a plot; beyond that the range given by the hub would be nonsense. */
const MAX_POINTS = 20_000;

export function totals(usage: Pick<Usage, "rows">): Totals {
  const sum: Totals = { calls: 0, errors: 0, requestTokens: 0, resultTokens: 0 };
  for (const row of usage.rows) {
    sum.calls += row.calls;
    sum.errors += row.errors;
    sum.requestTokens += row.request_tokens;
    sum.resultTokens += row.result_tokens;
  }
  return sum;
}

type Range = Pick<Usage, "from" | "to" | "bucket_seconds" | "series">;

/** Calls and errors of each bucket; 0 where the hub has none. */
export function countData(usage: Range): PlotData {
  const { times, points } = buckets(usage);
  return [
    times,
    times.map((at) => points.get(at)?.calls ?? 0),
    times.map((at) => points.get(at)?.errors ?? 0),
  ];
}

/** p50 and p95 of each bucket in milliseconds; a gap where nothing was called. */
export function durationData(usage: Range): PlotData {
  const { times, points } = buckets(usage);
  const milliseconds = (microseconds: number | null | undefined) =>
    microseconds === null || microseconds === undefined ? null : microseconds / 1000;
  return [
    times,
    times.map((at) => milliseconds(points.get(at)?.p50_us)),
    times.map((at) => milliseconds(points.get(at)?.p95_us)),
  ];
}

/** Tokens in and out of each bucket. */
export function tokenData(usage: Range): PlotData {
  const { times, points } = buckets(usage);
  return [
    times,
    times.map((at) => points.get(at)?.request_tokens ?? 0),
    times.map((at) => points.get(at)?.result_tokens ?? 0),
  ];
}

/** The beginning of every bucket of the range, also of those that the hub left out. */
function buckets(usage: Range) {
  const width = usage.bucket_seconds;
  const points = new Map<number, Usage["series"][number]>();
  for (const point of usage.series) {
    const at = Date.parse(point.at) / 1000;
    if (Number.isFinite(at)) points.set(at, point);
  }
  const given = [...points.keys()];
  const times = new Set(given);
  // Buckets begin where those of the hub begin: a day of the hub need not be a day of this clock.
  const anchor = given[0] ?? 0;
  const aligned = (at: number) => anchor + Math.floor((at - anchor) / width) * width;
  const [from, to] = [Date.parse(usage.from) / 1000, Date.parse(usage.to) / 1000];
  if (Number.isFinite(from) && Number.isFinite(to) && (to - from) / width <= MAX_POINTS) {
    for (let at = aligned(from); at < to; at += width) times.add(at);
  }
  return { times: [...times].sort((a, b) => a - b), points };
}

/** Bars of one pixel say nothing: a plot of counts has at most this many points. */
const MAX_BARS = 100;
/** Into how many points of the hub a point of the plot may be joined: parts of hours and days. */
const FACTORS = [1, 2, 3, 4, 6, 12, 15, 30, 60, 120, 360, 1440];

/** Sums of neighbouring buckets where there are more than a plot can show, and their width in seconds. */
export function joinedBuckets(data: PlotData, width: number): { data: PlotData; width: number } {
  const [times, ...lines] = data;
  const factor = FACTORS.find((one) => times.length <= one * MAX_BARS) ?? FACTORS.at(-1) ?? 1;
  if (factor === 1) return { data, width };
  const joined = factor * width;
  // Midnight of the reader's clock stays a border, so that the points stand for whole hours.
  const shift = new Date((times[0] ?? 0) * 1000).getTimezoneOffset() * 60;
  const starts = times.map((at) => Math.floor((at - shift) / joined) * joined + shift);
  const fresh = [...new Set(starts)];
  const place = new Map(fresh.map((at, index) => [at, index]));
  const sums = lines.map((line) => {
    const sum = fresh.map(() => 0);
    line.forEach((value, at) => {
      const to = place.get(starts[at] ?? 0) ?? 0;
      sum[to] = (sum[to] ?? 0) + (value ?? 0);
    });
    return sum;
  });
  return { data: [fresh, ...sums], width: joined };
}

/** The highest value of a line; 0 if it has none. */
export function highest(line: readonly (number | null)[]): number {
  return line.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}
