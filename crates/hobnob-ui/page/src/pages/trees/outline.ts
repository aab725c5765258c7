// What the page derives from the skeleton of a tree. Pure.

import { laned, type Lanes, pathTo, type TreeShape } from "../../draw/lanes.ts";
import type { Shape } from "./tools.ts";

export type Outline = {
  shapes: TreeShape[];
  lanes: Lanes;
  /** The last node of the conversation that goes straight on from the root. */
  end: string | undefined;
  leaves: number;
};

export function outlined(nodes: readonly Shape[]): Outline {
  const shapes = nodes.map(({ node_id: id, parent_id: parent }) => (parent === undefined ? { id } : { id, parent }));
  const lanes = laned(shapes);
  const straight = lanes.rows.filter((row) => row.lane === 0);
  const leaves = nodes.filter((node) => node.children === 0).length;
  return { shapes, lanes, end: straight.at(-1)?.id, leaves };
}

/** The ids from the root to a node, for marking them in the drawing. */
export function markedPath(outline: Outline, node: string | undefined): Set<string> {
  return new Set(node === undefined ? [] : pathTo(outline.shapes, node));
}

/** The end of the branch on which a node is: from there on, the first continuation each time. */
export function branchEnd(outline: Outline, node: string): string {
  const first = new Map<string, string>();
  for (const { id, parent } of outline.shapes) {
    if (parent !== undefined && !first.has(parent)) first.set(parent, id);
  }
  let end = node;
  for (let steps = 0; steps < outline.shapes.length; steps += 1) {
    const next = first.get(end);
    if (next === undefined) break;
    end = next;
  }
  return end;
}
