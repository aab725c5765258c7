// A value once it has stood still for a moment, so that a request is not made for every letter.

import { useEffect, useState } from "preact/hooks";

const SETTLE_MS = 250;

export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
