// Reading the points of a plot one by one: by the pointer, and by the arrow keys for those who cannot
// point. A screen reader hears each point as the value of a slider.

import { useState } from "preact/hooks";

export type Points = {
  /** The point that is read; `null` if none is. */
  at: number | null;
  set: (at: number | null) => void;
  /** What makes an element the plot's slider. */
  slider: {
    role: "slider";
    tabIndex: 0;
    "aria-label": string;
    "aria-valuemin": number;
    "aria-valuemax": number;
    "aria-valuenow": number;
    "aria-valuetext": string;
    onKeyDown: (event: KeyboardEvent) => void;
    onBlur: () => void;
  };
};

/** `say` puts a point into words. The keys begin at the newest point, which is the last. */
export function usePoints(label: string, count: number, say: (at: number) => string): Points {
  const [chosen, set] = useState<number | null>(null);
  const last = Math.max(0, count - 1);
  const at = chosen === null || count === 0 ? null : Math.min(chosen, last);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return;
    const next = nextPoint(event.key, at, last);
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  };
  return {
    at,
    set,
    slider: {
      role: "slider",
      tabIndex: 0,
      "aria-label": label,
      "aria-valuemin": 0,
      "aria-valuemax": last,
      "aria-valuenow": at ?? last,
      "aria-valuetext": count === 0 ? "no points" : say(at ?? last),
      onKeyDown,
      onBlur: () => set(null),
    },
  };
}

/** The point that a key leads to; `undefined` if the key means nothing here. */
export function nextPoint(key: string, at: number | null, last: number): number | null | undefined {
  const from = at ?? last + 1;
  switch (key) {
    case "ArrowLeft":
    case "ArrowDown":
      return Math.max(0, from - 1);
    case "ArrowRight":
    case "ArrowUp":
      return Math.min(last, from + 1);
    case "PageDown":
      return Math.max(0, from - 10);
    case "PageUp":
      return Math.min(last, from + 10);
    case "Home":
      return 0;
    case "End":
      return last;
    case "Escape":
      return at === null ? undefined : null;
    default:
      return undefined;
  }
}
