// Finds in a call's arguments what would be changed in a file, to show it as a diff.
// It guesses by the names that file tools use; the arguments themselves are always shown too. Pure.

export type FileChange = {
  path: string | null;
  before: string;
  after: string;
  /** Whether the whole file is written, so that what it had before is not known here. */
  whole: boolean;
};

const PAIRS: readonly (readonly [string, string])[] = [
  ["old_string", "new_string"],
  ["old_str", "new_str"],
  ["old_text", "new_text"],
  ["oldText", "newText"],
  ["oldString", "newString"],
  ["old", "new"],
  ["search", "replace"],
  ["find", "replace"],
];
const PATHS = ["path", "file_path", "filePath", "file", "filename", "uri"];
const CONTENTS = ["content", "contents", "file_text", "text", "new_content"];
const MAX_CHANGES = 50;
const MAX_CHARS = 1 << 20;

type Members = Record<string, unknown>;

function members(value: unknown): Members | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : null;
}

function text(from: Members, name: string): string | null {
  const value = Object.hasOwn(from, name) ? from[name] : null;
  return typeof value === "string" ? value : null;
}

function firstText(from: Members, names: readonly string[]): string | null {
  for (const name of names) {
    const found = text(from, name);
    if (found !== null) return found;
  }
  return null;
}

function pairOf(from: Members): { before: string; after: string } | null {
  for (const [old, fresh] of PAIRS) {
    const before = text(from, old);
    const after = text(from, fresh);
    if (before !== null && after !== null) return { before, after };
  }
  return null;
}

/** The changes that the arguments' JSON text describes; none if it describes no file. */
export function fileChanges(json: string): FileChange[] {
  if (MAX_CHARS < json.length) return [];
  let root: Members | null;
  try {
    root = members(JSON.parse(json));
  } catch {
    return [];
  }
  if (root === null) return [];
  const path = firstText(root, PATHS);
  const changes: FileChange[] = [];
  const own = pairOf(root);
  if (own) changes.push({ path, ...own, whole: false });
  for (const value of Object.values(root)) {
    if (!Array.isArray(value)) continue;
    for (const entry of value.slice(0, MAX_CHANGES)) {
      const from = members(entry);
      const pair = from && pairOf(from);
      if (from && pair) changes.push({ path: firstText(from, PATHS) ?? path, ...pair, whole: false });
    }
  }
  if (changes.length > 0) return changes.slice(0, MAX_CHANGES);
  const content = firstText(root, CONTENTS);
  return path !== null && content !== null ? [{ path, before: "", after: content, whole: true }] : [];
}
