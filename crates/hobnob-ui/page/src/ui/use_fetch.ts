// A view's data from the hub: loaded when its key changes, and again when something it watches does.

import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { ApiError, errorText } from "../api.ts";

export type Fetched<T> = {
  /** The newest answer for this key; stays while a newer one is on its way. */
  data: T | null;
  /** Why the newest request failed. */
  error: { status: number; message: string } | null;
  loading: boolean;
  reload: () => void;
};

type Held<T> = { key: string; data: T | null; error: Fetched<T>["error"]; loading: boolean };

/**
 * `load` runs for each new `key` and whenever a signal of `watch` changes. A change during a request
 * lets the request end, and then loads once more: changes that come faster than answers must not
 * keep a view empty. An answer that was overtaken by a newer request is dropped.
 */
export function useFetch<T>(
  key: string,
  load: (stop: AbortSignal) => Promise<T>,
  watch: readonly ReadonlySignal<unknown>[] = [],
): Fetched<T> {
  const held = useSignal<Held<T>>({ key, data: null, error: null, loading: true });
  const latest = useRef(load);
  latest.current = load;
  const current = useRef<AbortController | null>(null);
  const changed = useRef(false);
  const reload = useCallback(() => {
    current.current?.abort();
    const control = new AbortController();
    current.current = control;
    changed.current = false;
    const end = (next: Held<T>) => {
      if (current.current !== control) return;
      current.current = null;
      held.value = next;
      if (changed.current) reload();
    };
    const before = held.peek();
    held.value = { key, data: before.key === key ? before.data : null, error: null, loading: true };
    latest.current(control.signal).then(
      (data) => end({ key, data, error: null, loading: false }),
      (error: unknown) => {
        if (control.signal.aborted) return;
        const status = error instanceof ApiError ? error.status : 0;
        end({ key, data: held.peek().data, error: { status, message: errorText(error) }, loading: false });
      },
    );
  }, [key]);
  useEffect(() => {
    reload();
    return () => current.current?.abort();
  }, [reload]);
  const values = watch.map((signal) => signal.value);
  const first = useRef(true);
  useEffect(() => {
    if (first.current) first.current = false;
    else if (current.current) changed.current = true;
    else reload();
  }, values);
  const { data, error, loading } = held.value;
  return { data: held.value.key === key ? data : null, error, loading, reload };
}
