// What of a server's answer may become more than text: http(s) links and four kinds of images. Pure.

import type { Json } from "../types.ts";

const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const MAX_IMAGE_CHARS = 12 << 20;
const MAX_LINK_CHARS = 2000;

/** The `data:` URI of an image block; `null` for every other kind, SVG above all. */
export function imageUri(type: Json | undefined, data: Json | undefined): string | null {
  if (typeof type !== "string" || typeof data !== "string") return null;
  const kind = type.trim().toLowerCase();
  if (!IMAGE_TYPES.has(kind) || MAX_IMAGE_CHARS < data.length || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return null;
  return `data:${kind};base64,${data}`;
}

/** The address of a link as the browser reads it; `null` unless it is plain http or https. */
export function linkOf(text: string): string | null {
  // Blanks and controls inside an address are dropped by browsers, so that it would lie.
  if (MAX_LINK_CHARS < text.length || !/^https?:\/\/[\x21-\x7e]+$/i.test(text)) return null;
  try {
    const url = new URL(text);
    // A name before the host looks like the host.
    return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "" ? url.href : null;
  } catch {
    return null;
  }
}

export type Piece = { kind: "text" | "link"; text: string };

const MAX_LINKS = 200;

/** Text cut into plain pieces and addresses. */
export function pieces(text: string): Piece[] {
  const out: Piece[] = [];
  let end = 0;
  let links = 0;
  for (const match of text.matchAll(/https?:\/\/[^\x00-\x20\x7f-\uffff"'<>`]+/gi)) {
    const address = match[0].replace(/[.,;:!?)\]}>"'`]+$/, "");
    if (linkOf(address) === null || MAX_LINKS <= links) continue;
    links += 1;
    if (end < match.index) out.push({ kind: "text", text: text.slice(end, match.index) });
    out.push({ kind: "link", text: address });
    end = match.index + address.length;
  }
  if (end < text.length) out.push({ kind: "text", text: text.slice(end) });
  return out;
}

export type Grid = { columns: string[]; rows: Record<string, Json>[] };

const MAX_COLUMNS = 40;

/**
 * Structured content as a table: a list of flat objects, or an object whose only list is one.
 * `null` if it is nothing of the kind.
 */
export function gridOf(value: Json | undefined): Grid | null {
  if (value === undefined || value === null || typeof value !== "object") return null;
  if (!Array.isArray(value)) {
    const members = Object.values(value);
    return members.length === 1 && Array.isArray(members[0]) ? gridOf(members[0]) : null;
  }
  const columns = new Set<string>();
  for (const row of value) {
    if (typeof row !== "object" || row === null || Array.isArray(row)) return null;
    for (const [name, cell] of Object.entries(row)) {
      if (typeof cell === "object" && cell !== null) return null;
      columns.add(name);
    }
  }
  if (columns.size === 0 || MAX_COLUMNS < columns.size) return null;
  return { columns: [...columns], rows: value as Record<string, Json>[] };
}
