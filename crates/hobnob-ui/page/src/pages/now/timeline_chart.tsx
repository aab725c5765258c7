// The calls of the last minutes as bars: all, and the failed ones at the foot.

import { SECONDS } from "../../timeline.ts";
import { recent, timeline } from "../../state.ts";
import { clock, useSampled } from "../../ui/index.ts";

const WIDTH_SECONDS = 3;
const BARS = SECONDS / WIDTH_SECONDS;
const HEIGHT = 56;

export function TimelineChart() {
  // Reading both draws the bars again when calls end, and while time passes without any.
  useSampled(recent, 1000);
  const bars = timeline.bars(clock.value, WIDTH_SECONDS);
  const totals = bars.map((bar) => bar.good + bar.bad + bar.unknown);
  const most = Math.max(1, ...totals);
  const all = totals.reduce((sum, total) => sum + total, 0);
  const bad = bars.reduce((sum, bar) => sum + bar.bad, 0);
  const y = (count: number) => (count / most) * HEIGHT;
  return (
    <figure class="timeline">
      <svg
        viewBox={`0 0 ${BARS * 4} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${all} calls ended in the last 5 minutes, ${bad} of them with an error; at most ${most} in ${WIDTH_SECONDS} seconds`}
      >
        {bars.map((bar, index) => {
          const total = totals[index] ?? 0;
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
      <figcaption class="quiet small">
        <span>5 min ago</span>
        <span>
          at most {most.toLocaleString("en-US")} in {WIDTH_SECONDS} s
        </span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
