// State that outlives its component: a filter is still there after a look at another part of the page.
// In memory only: a page that is loaded anew begins anew.

import { type Signal, signal } from "@preact/signals";

/** Names are constants of the code, so there are few. */
const values = new Map<string, Signal<unknown>>();

/** As `useState`, but kept under a name. */
export function useRemembered<T>(name: string, first: T): [T, (next: T) => void] {
  let kept = values.get(name) as Signal<T> | undefined;
  if (kept === undefined) {
    kept = signal(first);
    values.set(name, kept as Signal<unknown>);
  }
  const held = kept;
  return [held.value, (next) => (held.value = next)];
}
