// Choices that a person made, kept in this browser. Nothing is written before a choice is made, and a
// browser that keeps nothing only forgets them when the page is closed.

import { type Signal, signal } from "@preact/signals";

export type Kept = { readonly value: Signal<boolean>; set: (next: boolean) => void };

/** A switch that is on or off at first, and as the person last chose later. */
export function keptSwitch(name: string, first: boolean): Kept {
  const key = `hobnob-${name}`;
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(key);
  } catch {
    // The choice holds until the page is closed.
  }
  const value = signal(kept === null ? first : kept === "yes");
  const set = (next: boolean) => {
    value.value = next;
    try {
      localStorage.setItem(key, next ? "yes" : "no");
    } catch {
      // As above.
    }
  };
  return { value, set };
}
