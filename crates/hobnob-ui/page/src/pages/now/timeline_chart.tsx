// The calls of the last minutes as bars: all, and the failed ones at the foot. The keys read bar by bar,
// and a table that is only heard has the sums of minutes.

import { SECONDS } from "../../timeline.ts";
import { usePoints } from "../../draw/points.ts";
import { known, recent } from "../../state.ts";
import type { Counts, Timeline } from "../../timeline.ts";
import { clock, useSampled } from "../../ui/index.ts";

const WIDTH_SECONDS = 3;
const BARS = SECONDS / WIDTH_SECONDS;
const HEIGHT = 56;

const totalOf = (bar: Counts | undefined) => (bar === undefined ? 0 : bar.good + bar.bad + bar.unknown);
const calls = (count: number) => `${count.toLocaleString("en-US")} ${count === 1 ? "call" : "calls"}`;

/** How long ago a bar was, and what ended in it. */
function barText(bars: readonly Counts[], at: number): string {
  const bar = bars[at];
  const seconds = (BARS - 1 - at) * WIDTH_SECONDS;
  const ago = seconds < 60 ? `${seconds} s ago` : `${Math.floor(seconds / 60)} min ${seconds % 60} s ago`;
  const failed = bar !== undefined && bar.bad > 0 ? `, ${bar.bad.toLocaleString("en-US")} failed` : "";
  return `${at === BARS - 1 ? "now" : ago}: ${calls(totalOf(bar))}${failed}`;
}

export function TimelineChart({ timeline }: { timeline: Timeline }) {
  // Reading both draws the bars again when calls end, and while time passes without any.
  useSampled(recent, 1000);
  const bars = timeline.bars(clock.value, WIDTH_SECONDS);
  const points = usePoints("Calls of the last 5 minutes, 3 seconds a bar", bars.length, (at) => barText(bars, at));
  const most = Math.max(0, ...bars.map(totalOf));
  const y = (count: number) => (count / Math.max(1, most)) * HEIGHT;
  const pointed = (event: MouseEvent & { currentTarget: HTMLElement }) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    points.set(Math.min(BARS - 1, Math.max(0, Math.floor(((event.clientX - left) / Math.max(1, width)) * BARS))));
  };
  return (
    <figure class="timeline">
      <div {...points.slider} onMouseMove={pointed} onMouseLeave={() => points.set(null)}>
        <svg viewBox={`0 0 ${BARS * 4} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          {points.at !== null && <rect class="chosen" x={points.at * 4} width={4} y={0} height={HEIGHT} />}
          {bars.map((bar, index) => {
            const total = totalOf(bar);
            if (total === 0) return null;
            // A single call among thousands is still to be seen.
            const height = Math.max(1.5, y(total));
            const failed = bar.bad === 0 ? 0 : Math.max(1.5, y(bar.bad));
            return (
              <g key={index}>
                <rect class="bar" x={index * 4 + 0.5} width={3} y={HEIGHT - height} height={height} />
                {failed > 0 && <rect class="bar bad" x={index * 4 + 0.5} width={3} y={HEIGHT - failed} height={failed} />}
              </g>
            );
          })}
        </svg>
      </div>
      <figcaption class="quiet small">
        <span>5 min ago</span>
        <span>
          {points.at !== null ? barText(bars, points.at) : !known.value ? "" : most === 0 ? "no call yet" : `at most ${most.toLocaleString("en-US")} in ${WIDTH_SECONDS} s`}
        </span>
        <span>now</span>
      </figcaption>
      {known.value && <Minutes bars={bars} />}
    </figure>
  );
}

/** The same figures as text: a line a minute. */
function Minutes({ bars }: { bars: readonly Counts[] }) {
  const perMinute = 60 / WIDTH_SECONDS;
  const minutes = Array.from({ length: BARS / perMinute }, (_, at) => bars.slice(at * perMinute, (at + 1) * perMinute));
  return (
    <table class="hidden">
      <caption>Calls of the last 5 minutes</caption>
      <thead>
        <tr>
          <th scope="col">Minute</th>
          <th scope="col">Calls</th>
          <th scope="col">Failed</th>
        </tr>
      </thead>
      <tbody>
        {minutes.map((minute, at) => (
          <tr key={at}>
            <th scope="row">{minutes.length - at} min ago</th>
            <td>{minute.reduce((sum, bar) => sum + totalOf(bar), 0)}</td>
            <td>{minute.reduce((sum, bar) => sum + bar.bad, 0)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
