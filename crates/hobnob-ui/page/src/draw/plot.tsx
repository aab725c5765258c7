// A plot over time, drawn by uPlot on a canvas. The page of usage uses it.
//
// A canvas tells nothing to those who cannot see it, so the caller gives a summary in words, and
// shows the same figures in a table. Colours come from the theme's variables and follow it.

import "uplot/dist/uPlot.min.css";
import "./plot.css";
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import UPlot from "uplot";
import { cssColor, theme } from "../ui/theme.ts";
import { axisTime } from "./axis_time.ts";

/** Times in seconds, then one column of values a line; null is a gap. */
export type PlotData = [number[], ...(number | null)[][]];

export type PlotLine = {
  label: string;
  /** The theme's variable, such as `--accent`. */
  color: string;
  /** `area` for counts, filled down to zero; `dots` for values with gaps between them. */
  form: "area" | "dots";
};

type Props = {
  title: string;
  /** What the plot shows, in words. */
  summary: string;
  lines: readonly PlotLine[];
  data: PlotData;
  /** A value of the vertical axis as text. */
  format: (value: number) => string;
};

const HEIGHT = 200;
const MIN_WIDTH = 220;

export function Plot({ title, summary, lines, data, format }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const scheme = useScheme();
  const id = useId();

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const width = () => Math.max(MIN_WIDTH, element.clientWidth);
    const made = new UPlot(options(width(), lines, format), data as UPlot.AlignedData, element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: width(), height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
    // The lines of one plot never change; their colours do, with the theme.
  }, [title, scheme]);

  useEffect(() => plot.current?.setData(data as UPlot.AlignedData), [data]);

  return (
    <figure class="plot" aria-labelledby={id}>
      <figcaption id={id}>
        <p class="plot-title">{title}</p>
        <p class="quiet small">{summary}</p>
      </figcaption>
      <div ref={place} class="plot-place" aria-hidden="true" />
    </figure>
  );
}

/** Differs whenever the colours of the page differ. */
function useScheme(): string {
  const dark = useSignal(matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => {
      dark.value = query.matches;
    };
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return `${theme.value} ${dark.value}`;
}

function options(width: number, lines: readonly PlotLine[], format: Props["format"]): UPlot.Options {
  const axis = { stroke: cssColor("--quiet"), grid: { stroke: cssColor("--line"), width: 1 }, ticks: { show: false } };
  const shown = (_: UPlot, value: number | null) => (value === null ? "–" : format(value));
  const series = lines.map(({ label, color, form }): UPlot.Series => {
    const stroke = cssColor(color);
    const line = { label, stroke, width: 1.5, value: shown };
    // Between two gaps a value has no line to either side, so it needs a point.
    return form === "area" ? { ...line, fill: faint(stroke) } : { ...line, points: { show: true, size: 5, fill: stroke } };
  });
  return {
    width,
    height: HEIGHT,
    cursor: { drag: { x: false, y: false } },
    legend: { live: true },
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    axes: [
      { ...axis, size: 34, values: (_, splits, __, ___, step) => splits.map((at) => axisTime(at, step)) },
      { ...axis, size: 62, values: (_, splits) => splits.map(format) },
    ],
    series: [{ label: "Time", value: "{YYYY}-{MM}-{DD} {HH}:{mm}" }, ...series],
  };
}

/** A colour that lets the grid shine through; `cssColor` gives `rgb(…)`. */
function faint(color: string): string {
  return color.startsWith("rgb(") ? color.replace("rgb(", "rgba(").replace(")", ", 0.15)") : color;
}
