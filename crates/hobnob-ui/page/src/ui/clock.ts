// The page's clock, and how often views follow what changes fast.
// Both stand still while the page is hidden.

import { type ReadonlySignal, signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

/** The current time in milliseconds, once a second. */
export const clock = signal(Date.now());

/** Starts the clock, once. */
export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === "visible") clock.value = Date.now();
  };
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}

/** The signal's value, at most once in `ms`: the first change at once, the last one never lost. */
export function useSampled<T>(source: ReadonlySignal<T>, ms = 250): T {
  const sample = useSignal(source.peek());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    let last = 0;
    const take = () => {
      timer = null;
      last = Date.now();
      sample.value = source.peek();
    };
    const stop = source.subscribe((value) => {
      // A subscription begins with the present value, which is no change.
      if (timer !== null || value === sample.peek()) return;
      const left = ms - (Date.now() - last);
      if (left <= 0) take();
      else timer = setTimeout(take, left);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [source, ms]);
  return sample.value;
}
