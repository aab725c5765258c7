// Counts of ended calls per second over the last minutes, for the timeline of `Now`. Pure and bounded.

export const SECONDS = 300;

export type Counts = { good: number; bad: number; unknown: number };

/** A ring of one count per second; what is older than `SECONDS` is forgotten. */
export class Timeline {
  #ring: (Counts & { second: number })[] = [];

  clear(): void {
    this.#ring = [];
  }

  /** Counts calls that ended at `at` (milliseconds). `unknown` are those of which only the number came. */
  add(at: number, counts: Partial<Counts>): void {
    const second = Math.floor(at / 1000);
    const slot = ((second % SECONDS) + SECONDS) % SECONDS;
    let held = this.#ring[slot];
    if (held && second < held.second) return;
    if (!held || held.second !== second) {
      held = { second, good: 0, bad: 0, unknown: 0 };
      this.#ring[slot] = held;
    }
    held.good += counts.good ?? 0;
    held.bad += counts.bad ?? 0;
    held.unknown += counts.unknown ?? 0;
  }

  /**
   * Sums of `width` seconds each, oldest first; the last one contains `now`, and what ended after
   * it: the page's clock ticks once a second.
   */
  bars(now: number, width: number): Counts[] {
    const bars = Math.floor(SECONDS / width);
    const last = Math.floor(now / 1000 / width);
    const sums = Array.from({ length: bars }, () => ({ good: 0, bad: 0, unknown: 0 }));
    for (const held of this.#ring) {
      if (!held) continue;
      const age = Math.max(0, last - Math.floor(held.second / width));
      const bar = sums[bars - 1 - age];
      if (!bar) continue;
      bar.good += held.good;
      bar.bad += held.bad;
      bar.unknown += held.unknown;
    }
    return sums;
  }

  /** All calls and the failed ones of the last `seconds`. */
  total(now: number, seconds: number): { calls: number; bad: number } {
    const first = Math.floor(now / 1000) - seconds;
    let calls = 0;
    let bad = 0;
    for (const held of this.#ring) {
      if (!held || held.second <= first) continue;
      calls += held.good + held.bad + held.unknown;
      bad += held.bad;
    }
    return { calls, bad };
  }
}
