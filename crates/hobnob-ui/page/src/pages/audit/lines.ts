// The lines of the audit log as the page shows them: what a line is about, and how the newest
// lines join those that are shown already. Pure.

import type { AuditLine, AuditPage } from "../../types.ts";

/** The words of the log for how a call ended; the filter sends them as they are. */
export const OUTCOMES = [
  "ok",
  "tool_error",
  "error",
  "cancelled",
  "timeout",
  "refused",
  "upstream_lost",
  "begun",
] as const;

/** Most lines that the page keeps while it follows. */
export const MAX_LINES = 2_000;

/** What the line is about: a tool, a prompt, an address, a program, or what was granted. */
export function targetOf(line: AuditLine): string {
  const target = line.tool ?? line.prompt ?? line.uri ?? line.program ?? line.grant;
  if (target !== undefined) return target;
  if (line.lost !== undefined) return `${line.lost} lines before this one could not be written`;
  if (line.torn !== undefined) return `the rest of a line that a crash cut off: ${line.torn}`;
  if (line.head === "lost") return "the head record was lost: lines before this one may be missing";
  return "";
}

/** Whether the line tells of a fault of the log itself. */
export function isFault(line: AuditLine): boolean {
  return line.lost !== undefined || line.torn !== undefined || line.head !== undefined;
}

/** Identifies a line: two lines of one log differ in their number, or at least in their time. */
export function lineKey(line: AuditLine): string {
  return JSON.stringify(line);
}

/** A short name of a line for the address: FNV-1a of the whole line. */
export function lineId(line: AuditLine): string {
  let hash = 0x811c9dc5;
  for (const char of lineKey(line)) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

/**
 * The newest page, then what was shown below it. If the newest page does not reach what is shown,
 * lines between them are unknown, so the older ones are dropped and `next` leads on from there.
 */
export function joined(newest: AuditPage, shown: AuditPage): AuditPage {
  const last = newest.lines.at(-1);
  if (last === undefined || newest.next === null) return newest;
  const key = lineKey(last);
  const at = shown.lines.findIndex((line) => lineKey(line) === key);
  if (at < 0) return newest;
  const lines = [...newest.lines, ...shown.lines.slice(at + 1)];
  return { lines, next: at + 1 === shown.lines.length ? newest.next : shown.next };
}

/** The lines with those of an older page below them. */
export function extended(shown: AuditPage, older: AuditPage): AuditPage {
  return { lines: [...shown.lines, ...older.lines], next: older.next };
}

/** The query of `/ui/api/audit`. */
export function auditQuery(filter: { words: string; outcome: string }, before: string | null): string {
  const query = new URLSearchParams({ limit: "200" });
  if (before !== null) query.set("before", before);
  if (filter.words.trim() !== "") query.set("q", filter.words.trim());
  if (filter.outcome !== "") query.set("outcome", filter.outcome);
  return query.toString();
}
