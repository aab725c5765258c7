// What a view says when it has nothing to show, when something failed, and what to type next.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { AWAY } from "../api.ts";
import { visible } from "../format.ts";
import { link } from "../state.ts";

/** Nothing to show: why, and what would change it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <div class="quiet">{children}</div>}
    </div>
  );
}

/** Something failed: what, and what to do next. `retry` adds a button. */
export function ErrorNote({ message, retry }: { message: string; retry?: () => void }) {
  // The frame says already that there is no connection, and the view reads again once there is one.
  if (retry && message === AWAY && link.value.phase !== "live") {
    return (
      <p class="quiet" role="status">
        This is read once the hub answers.
      </p>
    );
  }
  return (
    <div class="note bad" role="alert">
      <p>{visible(message)}</p>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Note({ tone = "info", children }: { tone?: "info" | "warn"; children: ComponentChildren }) {
  return <div class={`note ${tone}`}>{children}</div>;
}

/** Copies `text`; says so, and selects it instead where the browser forbids copying. */
export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      setSaid("Not allowed");
    }
    setTimeout(() => setSaid(null), 2000);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`${label}: ${text.slice(0, 80)}`}>
      <span aria-live="polite">{said ?? label}</span>
    </button>
  );
}

/** A command for a terminal, with a button that copies it. */
export function Command({ command }: { command: string }) {
  return (
    <span class="command">
      <code>{command}</code>
      <CopyButton text={command} />
    </span>
  );
}

/** Stands where rows will be, while it is not known whether there are any. */
export function Skeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** While the first answer is on its way. */
export function Loading({ what }: { what: string }) {
  return (
    <p class="quiet loading" role="status">
      Loading {what} …
    </p>
  );
}
