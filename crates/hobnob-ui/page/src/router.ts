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

export function startRouter(): void {
  const read = () => {
    route.value = parseRoute(location.hash);
  };
  addEventListener("hashchange", read);
  read();
}

/** Goes to a page; `replace` leaves no entry in the history. */
export function go(address: string, how: "push" | "replace" = "push"): void {
  if (how === "push") location.hash = address;
  else {
    history.replaceState(null, "", address);
    route.value = parseRoute(address);
  }
}
