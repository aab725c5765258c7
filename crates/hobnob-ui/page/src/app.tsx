// The frame around every page: navigation, the state of the connection, and what to do without one.

import { useSignal, useSignalEffect } from "@preact/signals";
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { errorText, leave, session } from "./api.ts";
import { catchUp } from "./live.ts";
import { shorten, visible } from "./format.ts";
import { NoHub, NoSession } from "./no_session.tsx";
import { RecordingLight } from "./pages/recorder/light.tsx";
import { type PageEntry, pages } from "./registry.ts";
import { href, lastPlace, route } from "./router.ts";
import { known, link, status, waitingCount } from "./state.ts";
import { ErrorNote, Loading } from "./ui/notes.tsx";
import { keepFocus } from "./ui/focus.ts";
import { Icon } from "./ui/icons.tsx";
import { Page } from "./ui/page.tsx";
import { nextTheme, theme } from "./ui/theme.ts";

export function App() {
  const state = session.value;
  const wasOpen = useRef(false);
  if (state.phase === "open") wasOpen.current = true;
  // Whoever leaves wants nothing kept.
  if (state.phase === "ended" && state.why === "left") wasOpen.current = false;
  return (
    <>
      {state.phase === "starting" && <Loading what="the page" />}
      {state.phase === "ended" && <NoSession state={state} kept={wasOpen.current} />}
      {state.phase === "away" && <NoHub reason={state.reason} />}
      {wasOpen.current && (
        // Hidden and not removed while there is no session: what was typed must not be lost.
        <div hidden={state.phase !== "open"}>
          <Frame />
        </div>
      )}
    </>
  );
}

function currentPage(): PageEntry {
  return pages.value.find((page) => page.id === route.value.page) ?? pages.value[0];
}

/** The parts whose details stand beside the list: a person finds them as they were left. */
const BESIDE: readonly string[] = ["tools", "memory"];

/** The parts whose details have names that a person knows. */
const NAMED: readonly string[] = ["servers", "tools"];

function titleOf({ id, title }: PageEntry, detail: string | undefined, waiting: number): string {
  const count = waiting > 0 ? `(${waiting}) ` : "";
  const name = detail !== undefined && NAMED.includes(id) ? `${shorten(visible(detail), 60)} · ` : "";
  return `${count}${name}${title} · Hobnob`;
}

function Frame() {
  const page = currentPage();
  const menu = useSignal(false);
  const main = useRef<HTMLElement>(null);
  const shown = useRef(page.id);
  useSignalEffect(() => {
    if (session.value.phase === "open") document.title = titleOf(currentPage(), route.value.rest[0], waitingCount.value);
  });
  useEffect(() => {
    menu.value = false;
    if (shown.current === page.id) return;
    shown.current = page.id;
    // A reader of the screen hears the new page's heading.
    scrollTo(0, 0);
    main.current?.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  }, [page.id]);
  useEffect(() => (main.current === null ? undefined : keepFocus(main.current)), []);
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
        <Guarded key={page.id} title={page.title}>
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
  // Other principals than the owner see their own name in its place.
  const project = open?.rights === "principal" ? open.principal : (hub?.project ?? open?.project ?? "");
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
        <RecordingLight />
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
    <span class={`live is-${phase}`} role="status">
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
        {pages.value.filter(({ onlyWhile }) => onlyWhile?.value ?? true).map(({ id, title, icon, badge }) => (
          <li key={id}>
            <a href={id !== current && BESIDE.includes(id) ? lastPlace(id) : href(id)} aria-current={id === current ? "page" : undefined} onClick={onChosen}>
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
    <div class="note warn connection" role="status">
      <p>
        No connection: {visible(now.reason)}. The page tries again by itself and keeps what you type
        {known.value && "; what you see is from before"}. If the hub was stopped, run <code>hobnob ui</code>.
      </p>
      <button type="button" onClick={catchUp}>
        Try now
      </button>
    </div>
  );
}

/** An error in one page leaves the others usable. */
class Guarded extends Component<{ title: string; children: ComponentChildren }, { error: string | null }> {
  override state = { error: null as string | null };

  static override getDerivedStateFromError(error: unknown) {
    return { error: errorText(error) };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <Page title={this.props.title}>
        <ErrorNote
          message={`This page failed: ${this.state.error}. Please report it with the hub's version.`}
          retry={() => this.setState({ error: null })}
        />
      </Page>
    );
  }
}
