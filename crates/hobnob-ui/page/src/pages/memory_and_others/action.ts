// One action that a person starts on a page: it runs once at a time, and says why it failed.

import { useRef, useState } from "preact/hooks";

export type Action = {
  busy: boolean;
  problem: unknown;
  /** Starts it, unless one runs already. */
  start: (act: () => Promise<void>) => void;
  forget: () => void;
};

export function useAction(): Action {
  const [state, setState] = useState<{ busy: boolean; problem: unknown }>({ busy: false, problem: undefined });
  // The state is seen at the next rendering; a second click may come before it.
  const running = useRef(false);
  const start = (act: () => Promise<void>) => {
    if (running.current) return;
    running.current = true;
    setState({ busy: true, problem: undefined });
    act()
      .then(
        () => setState({ busy: false, problem: undefined }),
        (problem: unknown) => setState({ busy: false, problem }),
      )
      .finally(() => {
        running.current = false;
      });
  };
  return { ...state, start, forget: () => setState({ busy: false, problem: undefined }) };
}
