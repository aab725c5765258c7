// The frame around every page: navigation, the state of the connection, and what to do without one.

import { useSignal, useSignalEffect } from "@preact/signals";
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { errorText, leave, openSession, session } from "./api.ts";
import { catchUp } from "./live.ts";
import { visible } from "./format.ts";
import { PAGES, type PageEntry } from "./registry.ts";
import { href, route } from "./router.ts";
import { known, link, status, waitingCount } from "./state.ts";
import { Command, ErrorNote, Loading } from "./ui/notes.tsx";
import { Icon } from "./ui/icons.tsx";
import { nextTheme, theme } from "./ui/theme.ts";

export function App() {
  switch (session.value.phase) {
    case "starting":
      return <Loading what="the page" />;
    case "ended":
      return <Ended reason={session.value.reason} />;
    case "away":
      return <Away reason={session.value.reason} />;
    case "open":
      return <Frame />;
  }
}

function Ended({ reason }: { reason: string }) {
  document.title = "Session ended · Hobnob";
  return (
    <main class="alone">
      <h1>This page's session has ended</h1>
      <p class="quiet">{reason}</p>
      <p>To open it again, run this at a terminal and follow the link that it prints:</p>
      <Command command="hobnob ui" />
      <p class="quiet small">Have you opened it in another tab already? Then reload this one.</p>
      <button type="button" onClick={() => location.reload()}>
        Reload
      </button>
    </main>
  );
}

function Away({ reason }: { reason: string }) {
  document.title = "No answer · Hobnob";
  return (
    <main class="alone">
      <h1>The hub does not answer</h1>
      <p class="quiet">{reason}</p>
      <p>To start it and open this page:</p>
      <Command command="hobnob ui" />
      <button type="button" onClick={() => void openSession()}>
        Try again
      </button>
    </main>
  );
}

function currentPage(): PageEntry {
  return PAGES.find((page) => page.id === route.value.page) ?? PAGES[0];
}

function Frame() {
  const page = currentPage();
  const menu = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(page.id);
  useSignalEffect(() => {
    const count = waitingCount.value;
    document.title = `${count > 0 ? `(${count}) ` : ""}${currentPage().title} · Hobnob`;
  });
  useEffect(() => {
    menu.value = false;
    if (shown.current === page.id) return;
    shown.current = page.id;
    // A reader of the screen hears the new page's heading.
    scrollTo(0, 0);
    main.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [page.id]);
  useEffect(() => {
    addEventListener("keydown", focusSearch);
    return () => removeEventListener("keydown", focusSearch);
  }, []);
  const View = page.view;
  return (
    <div class="frame">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <TopBar menu={menu.value} onMenu={() => (menu.value = !menu.value)} />
      <Navigation open={menu.value} current={page.id} onChosen={() => (menu.value = false)} />
      <main id="main" tabIndex={-1} ref={main}>
        <Connection />
        <Guarded key={page.id}>
          <View />
        </Guarded>
      </main>
    </div>
  );
}

function focusSearch(event: KeyboardEvent): void {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target;
  if (target instanceof HTMLElement && target.closest("input, textarea, select, dialog")) return;
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}

function TopBar({ menu, onMenu }: { menu: boolean; onMenu: () => void }) {
  const hub = status.value;
  const open = session.value.phase === "open" ? session.value.session : null;
  const project = hub?.project ?? open?.project ?? "";
  return (
    <header class="topbar">
      <button type="button" class="plain menu-button" aria-expanded={menu} aria-controls="navigation" onClick={onMenu}>
        <span aria-hidden="true">☰</span> Menu
        {waitingCount.value > 0 && (
          <span class="count alert" aria-label={`${waitingCount.value} waiting for you`}>
            {waitingCount.value}
          </span>
        )}
      </button>
      <span class="brand">
        <img src="/ui/icon.svg" alt="" width="20" height="20" /> Hobnob
      </span>
      <span class="project" title={project}>
        <bdi>{project}</bdi>
      </span>
      <span class="top-side">
        <Live />
        <button type="button" class="plain" onClick={nextTheme} title="Change the colours">
          <Icon name="theme" />
          <span class="label">
            <span class="hidden">Colours: </span>
            {theme.value}
          </span>
        </button>
        <button type="button" class="plain" onClick={() => void leave().catch(() => undefined)} title="End this page's session">
          <Icon name="leave" />
          <span class="label">Leave</span>
        </button>
      </span>
    </header>
  );
}

function Live() {
  const { phase } = link.value;
  const words = { connecting: "connecting", live: "live", away: "no connection" }[phase];
  return (
    <span class={`live ${phase}`} role="status">
      <span class="dot" aria-hidden="true" />
      {words}
    </span>
  );
}

function Navigation(props: { open: boolean; current: string; onChosen: () => void }) {
  const { open, current, onChosen } = props;
  return (
    <nav id="navigation" aria-label="Pages" class={open ? "open" : undefined}>
      <ul>
        {PAGES.map(({ id, title, icon, badge }) => (
          <li key={id}>
            <a href={href(id)} aria-current={id === current ? "page" : undefined} onClick={onChosen}>
              <Icon name={icon} />
              <span>{title}</span>
              {badge !== undefined && badge.value > 0 && (
                <span class="count alert">
                  {badge.value}
                  <span class="hidden"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      <p class="quiet small version">{status.value ? `Hobnob ${status.value.version}` : ""}</p>
    </nav>
  );
}

function Connection() {
  const now = link.value;
  if (now.phase !== "away") return known.value ? null : <Loading what="the hub's state" />;
  return (
    <div class="note warn" role="alert">
      <p>
        No connection: {visible(now.reason)}. The page tries again by itself; if the hub was stopped, run <code>hobnob ui</code>.
        {known.value && " What you see is from before."}
      </p>
      <button type="button" onClick={catchUp}>
        Try now
      </button>
    </div>
  );
}

/** An error in one page leaves the others usable. */
class Guarded extends Component<{ children: ComponentChildren }, { error: string | null }> {
  override state = { error: null as string | null };

  static override getDerivedStateFromError(error: unknown) {
    return { error: errorText(error) };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <ErrorNote
        message={`This page failed: ${this.state.error}. Please report it with the hub's version.`}
        retry={() => this.setState({ error: null })}
      />
    );
  }
}
