// A diff of two texts by lines: common ends cut off, the longest common subsequence between them.
// Bounded: a middle that is too large is shown as removed and added whole. Pure.

export type DiffLine = { kind: "same" | "removed" | "added" | "skipped"; text: string };

/** The table of the subsequence has at most this many cells. */
const MAX_CELLS = 400_000;
/** Lines of context around a change. */
const CONTEXT = 3;

export function lineDiff(before: string, after: string): DiffLine[] {
  const old = before === "" ? [] : before.split("\n");
  const fresh = after === "" ? [] : after.split("\n");
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  ) {
    end += 1;
  }
  const same = (lines: string[]) => lines.map((text): DiffLine => ({ kind: "same", text }));
  return folded([
    ...same(old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...same(old.slice(old.length - end)),
  ]);
}

function middle(old: string[], fresh: string[]): DiffLine[] {
  const width = fresh.length + 1;
  if (MAX_CELLS < (old.length + 1) * width) {
    return [
      ...old.map((text): DiffLine => ({ kind: "removed", text })),
      ...fresh.map((text): DiffLine => ({ kind: "added", text })),
    ];
  }
  // common[i * width + j]: length of the longest common subsequence of old[i..] and fresh[j..].
  const common = new Uint32Array((old.length + 1) * width);
  const cell = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; 0 <= i; i -= 1) {
    for (let j = fresh.length - 1; 0 <= j; j -= 1) {
      common[i * width + j] = old[i] === fresh[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < fresh.length) {
    const gone = old[i];
    const come = fresh[j];
    if (gone !== undefined && gone === come) {
      lines.push({ kind: "same", text: gone });
      i += 1;
      j += 1;
    } else if (gone !== undefined && (come === undefined || cell(i, j + 1) <= cell(i + 1, j))) {
      lines.push({ kind: "removed", text: gone });
      i += 1;
    } else {
      lines.push({ kind: "added", text: come ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** Leaves out equal lines that are far from every change, and says how many. */
function folded(lines: DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let at = index - CONTEXT; at <= index + CONTEXT; at += 1) near.add(at);
  });
  const out: DiffLine[] = [];
  let hidden = 0;
  const say = () => {
    if (hidden > 0) out.push({ kind: "skipped", text: `${hidden} equal lines` });
    hidden = 0;
  };
  lines.forEach((line, index) => {
    if (near.has(index)) {
      say();
      out.push(line);
    } else hidden += 1;
  });
  say();
  return out;
}
