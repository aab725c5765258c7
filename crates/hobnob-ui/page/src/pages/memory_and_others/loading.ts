// The hook with which a page loads what it shows, and loads it anew when that changes in the hub.
// An answer to an older question is never shown; while new data load, the old ones stay.

import { useEffect, useRef, useState } from "preact/hooks";
import { browserSurroundings, Loader, type Report } from "./loader.ts";

export type Loaded<T> = {
  /** Absent until the first answer to the current question. */
  value: T | undefined;
  /** Why the last attempt failed. */
  problem: unknown;
  busy: boolean;
  /** Loads anew, at once. */
  again: () => void;
};

type Shown<T> = Omit<Loaded<T>, "again"> & { question: string };

/**
 * `question` identifies what `load` asks for: when it differs, the old answer is dropped.
 * `changed` is a counter of changes in the hub: when it grows, the answer is read again.
 */
export function useLoaded<T>(
  question: string,
  changed: number | undefined,
  load: (stop: AbortSignal) => Promise<T>,
): Loaded<T> {
  const nothing: Shown<T> = { question, value: undefined, problem: undefined, busy: true };
  const [shown, setShown] = useState(nothing);
  const loader = useRef<Loader<T> | null>(null);

  // `load` is another function at every rendering; `question` says whether it asks for another thing.
  useEffect(() => {
    const report = (told: Report<T>) =>
      setShown((old) => reported(old.question === question ? old : nothing, told));
    const mine = new Loader(load, report, browserSurroundings);
    loader.current = mine;
    mine.again();
    return () => mine.close();
  }, [question]);

  const seen = useRef(changed);
  useEffect(() => {
    if (seen.current === changed) return;
    seen.current = changed;
    loader.current?.changed();
  }, [changed]);

  const { value, problem, busy } = shown.question === question ? shown : nothing;
  return { value, problem, busy, again: () => loader.current?.again() };
}

function reported<T>(old: Shown<T>, told: Report<T>): Shown<T> {
  switch (told.kind) {
    case "busy":
      return { ...old, busy: true };
    case "value":
      return { ...old, value: told.value, problem: undefined, busy: false };
    case "problem":
      return { ...old, problem: told.problem, busy: false };
  }
}
