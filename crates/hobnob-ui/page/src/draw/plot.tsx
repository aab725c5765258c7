// A plot over time, drawn by uPlot on a canvas. The page of usage uses it.
//
// A canvas tells nothing to those who cannot see it, so the same figures can be read point by point
// with the keys, and as a table. Colours come from the theme's variables and follow it.

import "uplot/dist/uPlot.min.css";
import "./plot.css";
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import { cssColor, theme } from "../ui/theme.ts";
import { axisTime, spanText } from "./axis_time.ts";
import { usePoints } from "./points.ts";

/** Times in seconds, then one column of values a line; null is a gap. */
export type PlotData = [number[], ...(number | null)[][]];

export type PlotLine = {
  label: string;
  /** The theme's variable, such as `--accent`. */
  color: string;
  /** `bars` for counts, later ones in front; `steps` for counts beside each other; `dots` for values with gaps. */
  form: "bars" | "steps" | "dots";
};

type Props = {
  title: string;
  /** What the plot shows, in words. */
  summary: string;
  lines: readonly PlotLine[];
  data: PlotData;
  /** How many seconds a point stands for, from its time on. */
  width: number;
  /** A value of the vertical axis as text. */
  format: (value: number) => string;
};

const HEIGHT = 190;
const MIN_WIDTH = 220;
/** A table has the newest points only; the hub's audit log and exports have all. */
const MAX_ROWS = 200;

export function Plot({ title, summary, lines, data, width, format }: Props) {
  const id = useId();
  const text = (line: number, at: number) => {
    const value = data[line + 1]?.[at];
    return value === null || value === undefined ? "–" : format(value);
  };
  const say = (at: number) =>
    [spanText(data[0][at] ?? 0, width), ...lines.map(({ label }, line) => `${label} ${text(line, at)}`)].join(", ");
  const points = usePoints(`Points of the plot ${title}`, data[0].length, say);
  const place = useDrawing({ title, lines, data, width, format }, points.at, points.set);
  return (
    <figure class="plot" aria-labelledby={id}>
      <figcaption id={id}>
        <p class="plot-title">{title}</p>
        <p class="quiet small">{summary}</p>
      </figcaption>
      <div class="plot-points" {...points.slider}>
        <div ref={place} class="plot-place" aria-hidden="true" />
      </div>
      <p class="plot-readout small" aria-hidden="true">
        {lines.map(({ label, color }, line) => (
          <span key={label} class="plot-key">
            <svg width="10" height="10" class={`plot-swatch ${color.slice(2)}`}>
              <rect width="10" height="10" rx="2" />
            </svg>
            {label}
            {points.at !== null && <strong>{text(line, points.at)}</strong>}
          </span>
        ))}
        <span class="quiet">{points.at === null ? "" : spanText(data[0][points.at] ?? 0, width)}</span>
      </p>
      <PlotTable title={title} lines={lines} data={data} width={width} text={text} />
    </figure>
  );
}

type TableProps = Pick<Props, "title" | "lines" | "data" | "width"> & { text: (line: number, at: number) => string };

/** The same figures as a table, newest first, made when it is opened. */
function PlotTable({ title, lines, data, width, text }: TableProps) {
  const [open, setOpen] = useState(false);
  const filled = open ? data[0].map((_, at) => at).filter((at) => data.slice(1).some((line) => (line[at] ?? 0) !== 0)) : [];
  const newest = filled.reverse().slice(0, MAX_ROWS);
  return (
    <details class="plot-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary class="small">
        As a table<span class="hidden">: {title}</span>
      </summary>
      {open && newest.length === 0 && <p class="quiet small">Nothing was called.</p>}
      {newest.length > 0 && (
        <div class="plot-figures" role="region" tabIndex={0} aria-label={`Figures of the plot ${title}`}>
          <table class="small">
            <thead>
              <tr>
                <th scope="col">Time</th>
                {lines.map(({ label }) => (
                  <th key={label} scope="col" class="numeric">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {newest.map((at) => (
                <tr key={at}>
                  <th scope="row">{spanText(data[0][at] ?? 0, width)}</th>
                  {lines.map(({ label }, line) => (
                    <td key={label} class="numeric">
                      {text(line, at)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {newest.length < filled.length && <p class="quiet small">The newest {MAX_ROWS} are shown.</p>}
        </div>
      )}
    </details>
  );
}

type Drawn = Pick<Props, "title" | "lines" | "data" | "width" | "format">;

/** The canvas in the element that the result refers to; it follows the data, the size and the theme. */
function useDrawing({ title, lines, data, width, format }: Drawn, at: number | null, read: (at: number | null) => void) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot | null>(null);
  const scheme = useScheme();
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const size = () => ({ width: Math.max(MIN_WIDTH, element.clientWidth), height: HEIGHT });
    const made = new UPlot(options(size(), lines, width, format, read), data as UPlot.AlignedData, element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize(size()));
    resized.observe(element);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
    // The lines of one plot never change; their colours do, with the theme.
  }, [title, width, scheme]);
  useEffect(() => plot.current?.setData(data as UPlot.AlignedData), [data]);
  useEffect(() => {
    const made = plot.current;
    const time = at === null ? undefined : data[0][at];
    if (!made || made.cursor.idxs?.[1] === at) return;
    made.setCursor({ left: time === undefined ? -10 : made.valToPos(time + width / 2, "x"), top: 0 }, false);
  }, [at]);
  return place;
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

function options(
  size: { width: number; height: number },
  lines: readonly PlotLine[],
  width: number,
  format: Props["format"],
  read: (at: number | null) => void,
): UPlot.Options {
  const axis = { stroke: cssColor("--quiet"), grid: { stroke: cssColor("--line"), width: 1 }, ticks: { show: false } };
  return {
    ...size,
    padding: [10, 16, 0, 0],
    cursor: { drag: { x: false, y: false }, y: false, dataIdx: (plot, _, nearest, time) => containing(plot.data[0], nearest, time) },
    legend: { show: false },
    hooks: { setCursor: [(plot) => read(plot.cursor.left === undefined || plot.cursor.left < 0 ? null : (plot.cursor.idxs?.[1] ?? null))] },
    scales: {
      // The last point stands for the time after it, too.
      x: { range: (_, first, last) => [first, last + width] },
      y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] },
    },
    axes: [
      { ...axis, size: 32, space: 56, values: (_, splits, __, ___, step) => splits.map((at) => axisTime(at, step)) },
      { ...axis, size: labelWidth, values: (_, splits) => splits.map(format) },
    ],
    series: [{ label: "Time" }, ...lines.map(seriesOf)],
  };
}

function seriesOf({ label, color, form }: PlotLine): UPlot.Series {
  const stroke = cssColor(color);
  const { bars, stepped } = UPlot.paths;
  switch (form) {
    case "bars":
      return { label, stroke, fill: stroke, width: 0, points: { show: false }, ...(bars ? { paths: bars({ size: [0.8, 40], align: 1 }) } : {}) };
    case "steps":
      return { label, stroke, fill: faint(stroke), width: 1.5, points: { show: false }, ...(stepped ? { paths: stepped({ align: 1 }) } : {}) };
    case "dots":
      // Between two gaps a value has no line to either side, so it needs a point.
      return { label, stroke, width: 1.5, points: { show: true, size: 5, fill: stroke } };
  }
}

/** The point whose time contains `time`: a point stands for the time from it on. */
function containing(times: ArrayLike<number>, nearest: number, time: number): number {
  const at = times[nearest];
  return at !== undefined && time < at ? Math.max(0, nearest - 1) : nearest;
}

/** As wide as the longest label of the axis, so that none is cut. */
function labelWidth(plot: UPlot, values: string[] | null): number {
  if (values === null) return 40;
  plot.ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  const widths = values.map((value) => plot.ctx.measureText(value ?? "").width / devicePixelRatio);
  return Math.ceil(Math.max(20, ...widths)) + 14;
}

/** A colour that lets the grid shine through; `cssColor` gives `rgb(…)`. */
function faint(color: string): string {
  return color.startsWith("rgb(") ? color.replace("rgb(", "rgba(").replace(")", ", 0.15)") : color;
}
