// The event stream of the hub, read with `fetch` so that its status and its end can be told apart.
// It resumes by the last id, waits longer after each failure, and catches up after sleep.

import { ApiError, errorOf, sessionIsOver } from "./api.ts";
import { EventParser, type ServerEvent } from "./sse.ts";
import { applyCalls, applyChanged, applyProgress, applyQuestions, applyRecordings, applyState, applyStatus, link } from "./state.ts";
import type { CallsEvent, ChangedEvent, GatewayStatus, MovedCall, QuestionsEvent, Recording, State } from "./types.ts";

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** The hub writes a line every 15 seconds; a stream that is silent for longer is dead. */
const SILENCE_MS = 40_000;

const AWAY = "the hub does not answer";

let lastId: string | null = null;
let heardAt = 0;
let wait = FIRST_WAIT_MS;
let current: AbortController | null = null;
let retry: ReturnType<typeof setTimeout> | null = null;
let started = false;
let watches = false;

/** Begins to listen, once; the page calls it when its session is open. */
export function listen(): void {
  if (started) return;
  started = true;
  if (!watches) watch();
  void connect();
}

/** Ends the stream: without a session there is nothing to hear. */
export function stopListening(): void {
  if (!started) return;
  started = false;
  lastId = null;
  if (retry !== null) clearTimeout(retry);
  retry = null;
  const stream = current;
  current = null;
  stream?.abort();
  link.value = { phase: "connecting" };
}

/** The moments at which a page may have slept. */
function watch(): void {
  watches = true;
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") catchUp();
  });
  addEventListener("online", catchUp);
  addEventListener("pageshow", (event) => {
    if (event.persisted) catchUp();
  });
}

/** Tries at once instead of waiting: after sleep, or because a person asks. */
export function catchUp(): void {
  if (!started) return;
  const silent = SILENCE_MS < Date.now() - heardAt;
  if (current !== null && !silent) return;
  current?.abort();
  wait = FIRST_WAIT_MS;
  void connect();
}

function later(reason: string): void {
  link.value = { phase: "away", reason };
  if (retry !== null) clearTimeout(retry);
  // Many pages of one hub must not come back in the same moment.
  retry = setTimeout(() => void connect(), wait * (0.75 + Math.random() / 2));
  wait = Math.min(wait * 2, MAX_WAIT_MS);
}

async function connect(): Promise<void> {
  if (retry !== null) clearTimeout(retry);
  retry = null;
  const control = new AbortController();
  current = control;
  heardAt = Date.now();
  const watch = setInterval(() => {
    if (SILENCE_MS < Date.now() - heardAt) control.abort();
  }, 5_000);
  let ended = false;
  let reason = AWAY;
  try {
    ended = await read(control);
  } catch (error) {
    // Anything else is a connection that broke, or of which nothing was heard.
    if (error instanceof ApiError) reason = error.message;
  } finally {
    clearInterval(watch);
  }
  if (current !== control) return;
  current = null;
  if (!ended) later(reason);
}

/** Reads one stream to its end; true if there must be no further one. */
async function read(control: AbortController): Promise<boolean> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (lastId !== null) headers["last-event-id"] = lastId;
  const response = await fetch("/ui/events", {
    headers,
    credentials: "same-origin",
    cache: "no-store",
    redirect: "error",
    signal: control.signal,
  });
  if (response.status === 401) {
    // The hub was away before: it was restarted, and knows no session from before.
    const restarted = link.peek().phase === "away";
    stopListening();
    sessionIsOver(restarted ? "The hub was restarted." : undefined);
    return true;
  }
  if (!response.ok || response.body === null) throw await errorOf(response);
  link.value = { phase: "live" };
  wait = FIRST_WAIT_MS;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const parser = new EventParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return false;
    heardAt = Date.now();
    for (const event of parser.push(value)) {
      if (event.id !== null) lastId = event.id;
      try {
        if (apply(event)) return true;
      } catch (error) {
        // An event that cannot be applied leaves a hole: the whole state has to come again.
        lastId = null;
        throw error;
      }
    }
  }
}

/** True if the session is over. */
function apply(event: ServerEvent): boolean {
  const data: unknown = JSON.parse(event.data);
  switch (event.event) {
    case "state":
      applyState(data as State);
      return false;
    case "calls":
      applyCalls(data as CallsEvent);
      return false;
    case "progress":
      applyProgress(data as MovedCall[]);
      return false;
    case "status":
      applyStatus(data as GatewayStatus);
      return false;
    case "questions":
      applyQuestions(data as QuestionsEvent);
      return false;
    case "recordings":
      applyRecordings(data as Recording[]);
      return false;
    case "changed":
      applyChanged((data as ChangedEvent).what);
      return false;
    case "end":
      if ((data as { reason?: string }).reason !== "session") return false;
      stopListening();
      sessionIsOver();
      return true;
    default:
      return false;
  }
}
