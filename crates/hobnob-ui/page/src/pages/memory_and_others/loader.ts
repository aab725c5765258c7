// Loads one thing again and again: at the start, when it changes in the hub, when a person asks.
//
// What must stay true: loads never overlap, except that `again` replaces the running one; a burst
// of changes loads at most once a second and never starves a load; the last change is always
// followed by a load; nothing is shown after `close`.

/** The clock and the page that a loader runs in; tests bring their own. */
export type Surroundings = {
  now: () => number;
  /** Runs `act` after `wait` milliseconds, or later once the page is visible; returns a cancel. */
  later: (wait: number, act: () => void) => () => void;
};

/** What a loader tells: that it began, what it read, or why it could not. */
export type Report<T> = { kind: "busy" } | { kind: "value"; value: T } | { kind: "problem"; problem: unknown };

export const MIN_INTERVAL_MS = 1_000;

type Phase =
  | { kind: "idle" }
  | { kind: "waiting"; cancel: () => void }
  | { kind: "loading"; stop: AbortController; stale: boolean }
  | { kind: "closed" };

export class Loader<T> {
  private phase: Phase = { kind: "idle" };
  private begun = -Infinity;

  constructor(
    private readonly load: (stop: AbortSignal) => Promise<T>,
    private readonly report: (report: Report<T>) => void,
    private readonly around: Surroundings,
  ) {}

  /** Loads at once, in place of a load that runs. */
  again(): void {
    if (this.phase.kind === "closed") return;
    this.leave();
    void this.run();
  }

  /** The hub has other data now: loads soon. */
  changed(): void {
    if (this.phase.kind === "loading") this.phase.stale = true;
    if (this.phase.kind !== "idle") return;
    const wait = Math.max(0, this.begun + MIN_INTERVAL_MS - this.around.now());
    this.phase = { kind: "waiting", cancel: this.around.later(wait, () => void this.run()) };
  }

  close(): void {
    this.leave();
    this.phase = { kind: "closed" };
  }

  private leave(): void {
    if (this.phase.kind === "waiting") this.phase.cancel();
    if (this.phase.kind === "loading") this.phase.stop.abort();
  }

  private async run(): Promise<void> {
    const mine: Phase = { kind: "loading", stop: new AbortController(), stale: false };
    this.phase = mine;
    this.begun = this.around.now();
    this.report({ kind: "busy" });
    let report: Report<T>;
    try {
      report = { kind: "value", value: await this.load(mine.stop.signal) };
    } catch (problem) {
      report = { kind: "problem", problem };
    }
    if (this.phase !== mine) return;
    this.phase = { kind: "idle" };
    this.report(report);
    if (mine.stale) this.changed();
  }
}

/** The browser's clock; a hidden page waits until it is visible. */
export const browserSurroundings: Surroundings = {
  now: () => Date.now(),
  later: (wait, act) => {
    const tell = () => {
      if (document.visibilityState === "visible") act();
      else document.addEventListener("visibilitychange", tell, { once: true });
    };
    const timer = setTimeout(tell, wait);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", tell);
    };
  },
};
