import assert from "node:assert/strict";
import test from "node:test";
import { countData, durationData, highest, joinedBuckets, tokenData, totals } from "./series.ts";

const point = (at: string, calls: number, errors: number, p50: number | null) => ({
  at, calls, errors, p50_us: p50, p95_us: p50 === null ? null : p50 * 4,
  request_tokens: calls * 10, result_tokens: calls * 100,
});
const hour = (at: number) => `2026-03-01T0${at}:00:00Z`;
const range = {
  from: "2026-03-01T00:30:00Z", to: hour(4), bucket_seconds: 3600 as const,
  series: [point(hour(1), 7, 1, 2500), point(hour(3), 2, 0, null)],
};
const start = Date.parse(hour(0)) / 1000;
const times = [0, 1, 2, 3].map((at) => start + at * 3600);

test("buckets that the hub left out are zeros for counts and gaps for durations", () => {
  assert.deepEqual(countData(range), [times, [0, 7, 0, 2], [0, 1, 0, 0]]);
  assert.deepEqual(durationData(range), [
    times, [null, 2.5, null, null], [null, 10, null, null],
  ]);
  assert.deepEqual(tokenData(range), [times, [0, 70, 0, 20], [0, 700, 0, 200]]);
});

test("a range without calls has all its buckets", () => {
  assert.deepEqual(countData({ ...range, series: [] }), [times, [0, 0, 0, 0], [0, 0, 0, 0]]);
});

test("a range that is nonsense shows only what the hub sent", () => {
  const far = { ...range, from: "0001-01-01T00:00:00Z" };
  assert.equal(countData(far)[0].length, 2);
  const broken = { ...range, from: "soon", series: [point("never", 1, 0, 1)] };
  assert.deepEqual(countData(broken), [[], [], []]);
});

test("totals are sums of all rows", () => {
  const row = {
    name: "a", calls: 3, errors: 1, p50_us: 1, p95_us: 2, request_tokens: 5, result_tokens: 8,
    last: hour(1),
  };
  assert.deepEqual(totals({ rows: [row, { ...row, name: "b", calls: 4 }] }), {
    calls: 7, errors: 2, requestTokens: 10, resultTokens: 16,
  });
  assert.equal(totals({ rows: [] }).calls, 0);
});

test("the highest value of a line leaves gaps out", () => {
  assert.equal(highest([null, 3, 0, null, 2]), 3);
  assert.equal(highest([null]), 0);
});

test("a day of minutes is joined into bars that can be seen, and nothing is lost", () => {
  const times = Array.from({ length: 1440 }, (_, at) => start + at * 60);
  const ones = times.map(() => 1);
  const { data, width } = joinedBuckets([times, ones, ones.map((_, at) => (at === 1439 ? 5 : 0))], 60);
  assert.equal(width, 900);
  assert.equal(data[0].length, 96);
  assert.ok(data[1]?.every((count) => count === 15));
  assert.equal(data[2]?.at(-1), 5);
  assert.deepEqual(data[0].slice(0, 2), [start, start + 900]);
});

test("few buckets stay as they are", () => {
  const days: [number[], number[]] = [[start, start + 86_400], [1, 2]];
  assert.deepEqual(joinedBuckets(days, 86_400), { data: days, width: 86_400 });
  assert.deepEqual(joinedBuckets([[], []], 60), { data: [[], []], width: 60 });
});
