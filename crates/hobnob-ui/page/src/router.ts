// The address as state: `#/servers/files` is the page `servers` with the rest `["files"]`.

import { signal } from "@preact/signals";

export type Route = { page: string; rest: readonly string[] };

export function parseRoute(hash: string): Route {
  const [page = "", ...rest] = hash.replace(/^#\/?/, "").split("/");
  return { page, rest: rest.map(decoded) };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `href("servers", "my server")` is `#/servers/my%20server`. */
export function href(page: string, ...rest: string[]): string {
  return `#/${[page, ...rest.map(encodeURIComponent)].join("/")}`;
}

export const route = signal<Route>({ page: "", rest: [] });

const places = new Map<string, string>();

/** Where a person was last in a part of the page: they find again what they had open. */
export function lastPlace(page: string): string {
  return places.get(page) ?? href(page);
}

function enter(address: string): void {
  const next = parseRoute(address);
  // A dialog that covers a part is no place in it.
  if (!coversPart()) places.set(next.page, href(next.page, ...next.rest));
  route.value = next;
}

const COVERS = "covers";

function coversPart(): boolean {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null && COVERS in state;
}

/** Opens a dialog that has an address, so that the back button closes it. */
export function openDialog(address: string): void {
  history.pushState({ [COVERS]: true }, "", address);
  enter(address);
}

/** Closes it as the back button would, or goes to `part` where the dialog was the first thing to be seen. */
export function closeDialog(part: string): void {
  if (coversPart()) history.back();
  else go(part, "replace");
}

export function startRouter(): void {
  const read = () => enter(location.hash);
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  read();
}

/** Goes to a page; `replace` leaves no entry in the history. */
export function go(address: string, how: "push" | "replace" = "push"): void {
  if (how === "push") location.hash = address;
  else {
    history.replaceState(null, "", address);
    enter(address);
  }
}
