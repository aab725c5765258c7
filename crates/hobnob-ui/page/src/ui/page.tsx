// The frame of one page: its heading, what it offers to do, and panels.

import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type PageProps = { title: string; about?: ComponentChildren; actions?: ComponentChildren; children: ComponentChildren };

export function Page({ title, about, actions, children }: PageProps) {
  return (
    <div class="page">
      <header class="page-head">
        <h1 id="page-title" tabIndex={-1}>
          {title}
        </h1>
        {about && <p class="quiet">{about}</p>}
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

type PanelProps = { title: string; side?: ComponentChildren; children: ComponentChildren };

export function Panel({ title, side, children }: PanelProps) {
  const id = useId();
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {side && <div class="side">{side}</div>}
      </header>
      {children}
    </section>
  );
}

type SearchProps = { label: string; value: string; onInput: (value: string) => void; onSubmit?: () => void };

/** A search field; `/` puts the focus on the first one of the page. */
export function SearchField({ label, value, onInput, onSubmit }: SearchProps) {
  return (
    <form
      class="search"
      role="search"
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.();
      }}
    >
      <input
        type="search"
        data-search
        aria-label={label}
        placeholder={label}
        value={value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </form>
  );
}
