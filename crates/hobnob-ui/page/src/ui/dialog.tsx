// A modal dialog: the browser's own element keeps the focus inside and closes it on Escape.

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { errorText, session } from "../api.ts";
import { focusHeading } from "./focus.ts";
import { ErrorNote } from "./notes.tsx";

type Props = { title: string; onClose: () => void; children: ComponentChildren; wide?: boolean };

export function Dialog({ title, onClose, children, wide = false }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  const gone = useRef(false);
  useEffect(() => {
    const before = document.activeElement;
    const dialog = element.current;
    return () => {
      gone.current = true;
      // While it is open, nothing beside it takes the focus.
      dialog?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      if (document.activeElement === document.body || document.activeElement === null) focusHeading();
    };
  }, []);
  // A dialog that nobody can see would block the page that says how to open a session.
  const usable = session.value.phase === "open";
  useEffect(() => {
    if (usable) element.current?.showModal();
    else element.current?.close();
  }, [usable]);
  return (
    <dialog
      ref={element}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onClose={() => {
        // The event comes later than the call: the page may be usable again, or somewhere else.
        if (!gone.current && session.peek().phase === "open" && element.current?.open !== true) onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) element.current?.close();
      }}
    >
      <div class="dialog-body">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="plain" aria-label="Close" onClick={() => element.current?.close()}>
            ✕
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

type ConfirmProps = {
  title: string;
  action: string;
  /** What happens after a yes. The dialog stays until a promise is kept, and says why one was broken. */
  onYes: () => void | Promise<void>;
  onClose: () => void;
  /** Whether the person has seen everything that the answer is about. */
  ready?: boolean;
  children: ComponentChildren;
};

/** Asks before something that interrupts others. */
export function Confirm({ title, action, onYes, onClose, ready = true, children }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const agree = () => {
    const done = onYes();
    if (done === undefined) return onClose();
    setBusy(true);
    setProblem(null);
    done.then(onClose, (error: unknown) => {
      setProblem(errorText(error));
      setBusy(false);
    });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {problem !== null && <ErrorNote message={problem} />}
      <div class="actions">
        <button type="button" class="danger" disabled={busy || !ready} onClick={agree}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}
