// Draws a directed graph as SVG: boxes in columns from left to right, and curves with arrow heads
// between them. A box is a button for mouse and keyboard. Texts are SVG text, never markup.

import { type Edge, layered, type Place, type Route } from "./layers.ts";
import { fitted } from "./text.ts";
import "./graph.css";

export type GraphNode = {
  id: string;
  title: string;
  /** A second, quiet line. */
  note: string;
  tone: "good" | "bad" | "warn" | "quiet" | "info";
};

type Props = {
  label: string;
  nodes: readonly GraphNode[];
  edges: readonly Edge[];
  opened?: string | undefined;
  onOpen: (id: string) => void;
};

const WIDTH = 210;
const HEIGHT = 44;
const COLUMN_GAP = 56;
const ROW_GAP = 14;
const MARGIN = 4;
/** Characters that a line of a box takes in most fonts; the box cuts off what a wide font adds. */
const TITLE_CHARS = 27;
const NOTE_CHARS = 30;

export function Graph({ label, nodes, edges, opened, onOpen }: Props) {
  const { places, routes, columns, rows } = layered(
    nodes.map((node) => node.id),
    edges,
  );
  // The arrows in words, for those who cannot see them.
  const titles = new Map(nodes.map((node) => [node.id, fitted(node.title, TITLE_CHARS)]));
  const waitsFor = new Map<string, string[]>();
  for (const { from, to } of routes) waitsFor.set(to, [...(waitsFor.get(to) ?? []), titles.get(from) ?? from]);
  const width = columns * WIDTH + Math.max(0, columns - 1) * COLUMN_GAP + 2 * MARGIN;
  const height = rows * HEIGHT + Math.max(0, rows - 1) * ROW_GAP + 2 * MARGIN;
  return (
    <div class="graph" role="group" aria-label={label} tabIndex={0}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        <g aria-hidden="true">
          {routes.map((route) => (
            <path key={`${route.from} ${route.to}`} class="graph-edge" d={curve(route, places)} />
          ))}
        </g>
        {nodes.map((node) => {
          const place = places.get(node.id);
          return (
            place && <Box key={node.id} node={node} waitsFor={waitsFor.get(node.id) ?? []} place={place} open={node.id === opened} onOpen={onOpen} />
          );
        })}
      </svg>
    </div>
  );
}

type BoxProps = { node: GraphNode; waitsFor: readonly string[]; place: Place; open: boolean; onOpen: (id: string) => void };

function Box({ node, waitsFor, place, open, onOpen }: BoxProps) {
  const { x, y } = corner(place);
  const [title, note] = [fitted(node.title, TITLE_CHARS), fitted(node.note, NOTE_CHARS)];
  return (
    <g
      class={`graph-node ${node.tone}${open ? " open" : ""}`}
      transform={`translate(${x} ${y})`}
      role="button"
      // Names of SVG attributes are sensitive to case.
      tabindex={0}
      aria-label={waitsFor.length === 0 ? `${title} ${note}` : `${title} ${note}, waits for ${waitsFor.join(", ")}`}
      aria-pressed={open}
      onClick={() => onOpen(node.id)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        onOpen(node.id);
      }}
    >
      <rect width={WIDTH} height={HEIGHT} rx={6} />
      <rect class="graph-bar" width={4} height={HEIGHT - 12} x={5} y={6} rx={2} />
      <svg width={WIDTH - 6} height={HEIGHT}>
        <text x={16} y={18} class="graph-title">
          {/* The space keeps the two lines apart for those who hear them. */ `${title} `}
        </text>
        <text x={16} y={35} class="graph-note">
          {note}
        </text>
      </svg>
    </g>
  );
}

function corner({ column, row }: Place): { x: number; y: number } {
  return { x: MARGIN + column * (WIDTH + COLUMN_GAP), y: MARGIN + row * (HEIGHT + ROW_GAP) };
}

/** From the right side of one box, through the places kept free, to the left side of another. */
function curve({ from, to, through }: Route, places: ReadonlyMap<string, Place>): string {
  const [first, last] = [places.get(from), places.get(to)];
  if (first === undefined || last === undefined) return "";
  const start = corner(first);
  let [x, y] = [start.x + WIDTH, start.y + HEIGHT / 2];
  let path = `M${x} ${y}`;
  const bend = (toX: number, toY: number) => {
    const pull = Math.max(COLUMN_GAP / 2, (toX - x) / 2);
    path += `C${x + pull} ${y} ${toX - pull} ${toY} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  };
  for (const place of through) {
    const passed = corner(place);
    bend(passed.x, passed.y + HEIGHT / 2);
    x += WIDTH;
    path += `H${x}`;
  }
  const end = corner(last);
  bend(end.x - 2, end.y + HEIGHT / 2);
  return `${path}M${x - 7} ${y - 4}L${x} ${y}L${x - 7} ${y + 4}`;
}
