// Layered layout of a directed graph: what is waited for stands left of what waits.
//
// Longest-path layering, virtual nodes where an edge passes a column, then a few barycentre sweeps
// that reduce crossings. The page of tasks draws dependencies with it. Edges that would close a
// cycle are left out of the layering, so the layout ends for any input; ends of edges that are not
// among the nodes are ignored.

/** An edge of a graph: `to` waits for `from`. */
export type Edge = { from: string; to: string };

/** The place of a node: its column from the left and its row in that column, both from 0. */
export type Place = { column: number; row: number };

/** An edge, and the places between its ends that are kept free for it. */
export type Route = Edge & { through: Place[] };

export type Layering = {
  places: Map<string, Place>;
  routes: Route[];
  columns: number;
  /** Most places in one column. */
  rows: number;
};

/** Barycentre sweeps: forwards and backwards in turn. */
const SWEEPS = 6;

/** Places each node right of everything that it waits for. */
export function layered(nodes: readonly string[], edges: readonly Edge[]): Layering {
  const known = new Set(nodes);
  const drawn = edges.filter(({ from, to }) => from !== to && known.has(from) && known.has(to));
  const { before, after } = neighbours(nodes, drawn);
  const depth = depths(nodes, before, after);
  const columns: string[][] = [];
  for (const node of nodes) (columns[depth.get(node) ?? 0] ??= []).push(node);
  const chains = drawn.map((edge) => chain(edge, depth));
  const segments = segmentsOf(drawn, chains);
  const virtual = new Map(chains.flatMap((one) => one.map(({ id, column }) => [id, column] as const)));
  for (const [id, column] of virtual) (columns[column] ??= []).push(id);
  const beside = neighbours([...nodes, ...virtual.keys()], segments);
  sweep(columns, beside.before, beside.after);
  const places = new Map<string, Place>();
  columns.forEach((column, at) => {
    column.forEach((node, row) => places.set(node, { column: at, row }));
  });
  const routes = drawn.map((edge, at) => ({
    ...edge,
    through: (chains[at] ?? []).flatMap(({ id }) => places.get(id) ?? []),
  }));
  for (const id of virtual.keys()) places.delete(id);
  const rows = columns.reduce((most, column) => Math.max(most, column.length), 0);
  return { places, routes, columns: columns.length, rows };
}

type Neighbours = Map<string, string[]>;

function neighbours(nodes: readonly string[], edges: readonly Edge[]) {
  const before: Neighbours = new Map(nodes.map((node) => [node, []]));
  const after: Neighbours = new Map(nodes.map((node) => [node, []]));
  for (const { from, to } of edges) {
    before.get(to)?.push(from);
    after.get(from)?.push(to);
  }
  return { before, after };
}

type Virtual = { id: string; column: number };

/** The virtual nodes of an edge; edges from the same node share them, like the strands of a bus. */
function chain({ from, to }: Edge, depth: Map<string, number>): Virtual[] {
  const [start, end] = [depth.get(from) ?? 0, depth.get(to) ?? 0];
  return Array.from({ length: Math.max(0, end - start - 1) }, (_, at) => {
    const column = start + 1 + at;
    // The first character keeps virtual nodes apart from those of the caller.
    return { id: `\u0000${column} ${from}`, column };
  });
}

/** The edges, cut at their virtual nodes. */
function segmentsOf(edges: readonly Edge[], chains: readonly Virtual[][]): Edge[] {
  const segments = new Map<string, Edge>();
  edges.forEach(({ from, to }, at) => {
    const stops = [from, ...(chains[at] ?? []).map((one) => one.id), to];
    for (let next = 1; next < stops.length; next += 1) {
      const segment = { from: stops[next - 1] ?? from, to: stops[next] ?? to };
      segments.set(`${segment.from}\u0001${segment.to}`, segment);
    }
  });
  return [...segments.values()];
}

/** Kahn's algorithm; nodes of a cycle go where the nodes before them that are placed allow. */
function depths(nodes: readonly string[], before: Neighbours, after: Neighbours) {
  const depth = new Map<string, number>();
  const open = new Map(nodes.map((node) => [node, before.get(node)?.length ?? 0]));
  let queue = nodes.filter((node) => open.get(node) === 0);
  const place = (node: string) => {
    const placed = (before.get(node) ?? []).map((one) => depth.get(one) ?? -1);
    depth.set(node, 1 + placed.reduce((most, one) => Math.max(most, one), -1));
  };
  const rest = new Set(nodes);
  while (rest.size > 0) {
    const next: string[] = [];
    for (const node of queue) {
      if (!rest.delete(node)) continue;
      place(node);
      for (const one of after.get(node) ?? []) {
        const left = (open.get(one) ?? 0) - 1;
        open.set(one, left);
        if (left === 0) next.push(one);
      }
    }
    queue = next;
    // Only cycles are left: begin with the first node of one.
    const [first] = rest;
    if (queue.length === 0 && first !== undefined) queue = [first];
  }
  return depth;
}

function sweep(columns: string[][], before: Neighbours, after: Neighbours) {
  const row = new Map<string, number>();
  const number = (column: string[]) => column.forEach((node, at) => row.set(node, at));
  columns.forEach(number);
  for (let turn = 0; turn < SWEEPS; turn += 1) {
    const forwards = turn % 2 === 0;
    const ordered = forwards ? columns : [...columns].reverse();
    for (const column of ordered) {
      const beside = forwards ? before : after;
      const centres = new Map(column.map((node) => [node, centre(node, beside, row)]));
      // `sort` is stable, so nodes without neighbours on that side keep their order.
      column.sort((a, b) => (centres.get(a) ?? 0) - (centres.get(b) ?? 0));
      number(column);
    }
  }
}

function centre(node: string, beside: Neighbours, row: Map<string, number>): number {
  const rows = (beside.get(node) ?? []).map((one) => row.get(one) ?? 0);
  if (rows.length === 0) return row.get(node) ?? 0;
  return rows.reduce((sum, one) => sum + one, 0) / rows.length;
}
