// Lays a conversation tree out as rows and lanes, as version control draws its history: one row a
// node, parents first; the first continuation stays in its parent's lane, each other one opens a
// lane to the right. A conversation without branches therefore stays one straight line.
//
// The page of trees draws with it. Nothing here recurses, since a conversation may have thousands
// of messages one below the other. A node whose parent is unknown begins at the left edge; parents
// that form a circle are left out.

/** A node as a skeleton lists it. */
export type TreeShape = { id: string; parent?: string | undefined };

export type LaneRow = {
  id: string;
  lane: number;
  /** The row of the parent; -1 for a root. */
  parentRow: number;
};

export type Lanes = { rows: LaneRow[]; lanes: number };

/** The rows of a tree, depth first, in the order in which continuations came. */
export function laned(shapes: readonly TreeShape[]): Lanes {
  const known = new Set(shapes.map((shape) => shape.id));
  const children = new Map<string, string[]>();
  const roots: string[] = [];
  for (const { id, parent } of shapes) {
    if (parent === undefined || parent === id || !known.has(parent)) roots.push(id);
    else {
      const beside = children.get(parent);
      if (beside === undefined) children.set(parent, [id]);
      else beside.push(id);
    }
  }
  const rows: LaneRow[] = [];
  const seen = new Set<string>();
  let lanes = 0;
  type Open = { id: string; parentRow: number; first: boolean };
  const open: Open[] = roots.reverse().map((id) => ({ id, parentRow: -1, first: true }));
  // The last row that each lane needs, so that a lane that is free again is used again.
  const busyUntil: number[] = [];
  while (true) {
    const next = open.pop();
    if (next === undefined) break;
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    const lane = laneOf(next, rows, busyUntil);
    lanes = Math.max(lanes, lane + 1);
    const row = rows.length;
    busyUntil[lane] = row;
    rows.push({ id: next.id, lane, parentRow: next.parentRow });
    const below = children.get(next.id) ?? [];
    // The last one pushed is drawn first. Later continuations are drawn after the whole first one.
    for (let at = below.length - 1; at >= 0; at -= 1) {
      const id = below[at];
      if (id !== undefined) open.push({ id, parentRow: row, first: at === 0 });
    }
  }
  return { rows, lanes };
}

function laneOf(
  next: { parentRow: number; first: boolean },
  rows: readonly LaneRow[],
  busyUntil: readonly number[],
): number {
  const parent = rows[next.parentRow];
  if (parent === undefined) return 0;
  if (next.first) return parent.lane;
  // The line from the parent runs down in the new lane, so nothing may be in it since then.
  let lane = parent.lane + 1;
  while ((busyUntil[lane] ?? -1) > next.parentRow) lane += 1;
  return lane;
}

/** The ids from the root to a node, the root first. */
export function pathTo(shapes: readonly TreeShape[], id: string): string[] {
  const parents = new Map(shapes.map((shape) => [shape.id, shape.parent]));
  const path: string[] = [];
  const seen = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && parents.has(at) && !seen.has(at); ) {
    seen.add(at);
    path.push(at);
    at = parents.get(at);
  }
  return path.reverse();
}
