// Draws a conversation tree: lanes and dots as SVG on the left, and beside each dot a row that is
// a button. A marked path shows which conversation is being read.

import { shorten, visible } from "../format.ts";
import type { LaneRow, Lanes } from "./lanes.ts";
import "./tree.css";

type Props = {
  label: string;
  lanes: Lanes;
  /** What a row says, by its node's id. */
  text: (id: string) => string;
  /** The nodes of the conversation that is read. */
  marked: ReadonlySet<string>;
  opened: string | undefined;
  onOpen: (id: string) => void;
  /** Rows that are drawn at most. */
  max: number;
};

/** `tree.css` gives rows this height. */
const ROW = 28;
const LANE = 16;
/** The drawing leaves most of the width to the texts: many lanes stand closer together. */
const MAX_WIDTH = 112;
const MIN_LANE = 4;
const MAX_CHARS = 160;

export function TreeDrawing({ label, lanes, text, marked, opened, onOpen, max }: Props) {
  const rows = lanes.rows.slice(0, max);
  const gap = Math.max(MIN_LANE, Math.min(LANE, MAX_WIDTH / Math.max(1, lanes.lanes)));
  const x = (lane: number) => 10 + lane * gap;
  const width = Math.ceil(x(lanes.lanes - 1)) + 12;
  return (
    <div class="tree-drawing">
      <svg class="tree-lanes" width={width} height={rows.length * ROW} aria-hidden="true">
        {rows.map((row, at) => (
          <Line key={row.id} x={x} row={row} at={at} parent={rows[row.parentRow]} marked={marked.has(row.id)} />
        ))}
        {rows.map((row, at) => (
          <circle
            key={row.id}
            class={dotClass(row.id, marked, opened)}
            cx={x(row.lane)}
            cy={y(at)}
            r={row.id === opened ? 5.5 : 4}
          />
        ))}
      </svg>
      <ol class="tree-rows" aria-label={label} onKeyDown={moveFocus}>
        {rows.map(({ id, parentRow }, at) => (
          <li key={id}>
            <button
              type="button"
              class={marked.has(id) ? "marked" : undefined}
              aria-current={id === opened ? "true" : undefined}
              onClick={() => onOpen(id)}
            >
              {shorten(visible(text(id)), MAX_CHARS)}
              {parentRow >= 0 && parentRow !== at - 1 && (
                // What the drawing says to the eye.
                <span class="hidden">, branches off {shorten(visible(text(rows[parentRow]?.id ?? "")), 60)}</span>
              )}
            </button>
          </li>
        ))}
      </ol>
    </div>
  );
}

function y(row: number): number {
  return row * ROW + ROW / 2;
}

function dotClass(id: string, marked: ReadonlySet<string>, opened: string | undefined): string {
  const path = marked.has(id) ? "tree-dot marked" : "tree-dot";
  return id === opened ? `${path} open` : path;
}

type LineProps = { x: (lane: number) => number; row: LaneRow; at: number; parent: LaneRow | undefined; marked: boolean };

/** From the parent's dot across to the row's lane, then straight down. */
function Line({ x, row, at, parent, marked }: LineProps) {
  if (parent === undefined) return null;
  const [x1, y1, x2, y2] = [x(parent.lane), y(row.parentRow), x(row.lane), y(at)];
  const turn = y1 + ROW;
  const path =
    x1 === x2
      ? `M${x1} ${y1}V${y2}`
      : `M${x1} ${y1}C${x1} ${y1 + ROW * 0.7} ${x2} ${y1 + ROW * 0.3} ${x2} ${turn}V${y2}`;
  return <path class={marked ? "tree-line marked" : "tree-line"} d={path} />;
}

function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0 || !(event.target instanceof HTMLElement)) return;
  const row = event.target.closest("li");
  const next = step === 1 ? row?.nextElementSibling : row?.previousElementSibling;
  const button = next?.querySelector("button");
  if (!button) return;
  event.preventDefault();
  button.focus();
}
