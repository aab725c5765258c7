// Requests to the hub: own origin only, errors as values that say what to do next.
// A 401 ends the session for the whole page; `session` is the only place that knows.

import { signal } from "@preact/signals";
import type { JsonObject, McpAnswer, McpMethod, Session, SignInWay } from "./types.ts";

/**
 * Why there is no session: the page was opened without a link, or with one that does not work; the
 * session that it had is over; or the person left.
 */
export type Without = "link-needed" | "link-refused" | "over" | "left";

/** `starting` until the first answer; `ended` once the hub does not know this page. */
export type SessionState =
  | { phase: "starting" }
  | { phase: "open"; session: Session }
  | { phase: "ended"; why: Without; reason: string }
  | { phase: "away"; reason: string };

export const session = signal<SessionState>({ phase: "starting" });

/** How the hub said that principals sign in here, the usual way first; empty where none does. */
export const signInWays = signal<readonly SignInWay[]>([]);

/** Whose session this page had, once it had one. */
let holder: string | null = null;

/** Goes on with a session. Nothing that another person saw or typed stays in this page. */
function begin(opened: Session): void {
  const next = `${opened.rights} ${opened.principal}`;
  if (holder !== null && holder !== next) return location.reload();
  holder = next;
  // Where principals sign in, they can do so again once the session is over.
  signInWays.value = opened.sign_in;
  session.value = { phase: "open", session: opened };
}

/** Why a request has no result. `status` is 0 if the hub could not be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

export const AWAY = "the hub does not answer; if it was stopped, run `hobnob ui` again";

/** The session has ended: every view gives way to the words how to open the page again. */
export function endSession(why: Without, reason: string): void {
  session.value = { phase: "ended", why, reason };
}

/** The hub no longer knows the session that this page had. */
export function sessionIsOver(reason = "It was not used for 12 hours, was 7 days old, or you left in another tab."): void {
  endSession("over", reason);
}

export function csrfToken(): string {
  return session.value.phase === "open" ? session.value.session.csrf : "";
}

/** The error of an answer that is none: its own words, if it has some. */
export async function errorOf(response: Response): Promise<ApiError> {
  let message = `the hub answered with status ${response.status}`;
  try {
    const body: unknown = await response.json();
    if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string") {
      message = body.error;
      if (response.status === 401) signInWays.value = "sign_in" in body && Array.isArray(body.sign_in) ? body.sign_in : [];
    }
  } catch {
    // The answer is no JSON: its status says what there is to say.
  }
  return new ApiError(response.status, message);
}

async function send(method: "GET" | "POST", path: string, body: unknown, stop?: AbortSignal): Promise<Response> {
  const csrf = csrfToken();
  const response = await attempt(method, path, body, stop);
  if (response.ok) return response;
  const failure = await errorOf(response);
  // A link that was opened in another tab gave this browser another session, with another token. The
  // hub refused before it did anything, so the same request may go out once more.
  if (method === "POST" && response.status === 403 && csrf !== "" && (await reopened()) && csrfToken() !== csrf) {
    const again = await attempt(method, path, body, stop);
    if (again.ok) return again;
    throw await errorOf(again);
  }
  if (response.status === 401 && session.value.phase === "open") sessionIsOver();
  throw failure;
}

async function attempt(method: "GET" | "POST", path: string, body: unknown, stop?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (method === "POST") {
    headers["content-type"] = "application/json";
    const csrf = csrfToken();
    if (csrf !== "") headers["x-hobnob-csrf"] = csrf;
  }
  try {
    return await fetch(path, {
      method,
      headers,
      body: method === "POST" ? JSON.stringify(body ?? {}) : null,
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: stop ?? null,
    });
  } catch (error) {
    if (stop?.aborted) throw error;
    throw new ApiError(0, AWAY);
  }
}

/** Reads `path`, such as `/ui/api/health`. */
export async function get<T>(path: string, stop?: AbortSignal): Promise<T> {
  return (await (await send("GET", path, undefined, stop)).json()) as T;
}

/** Posts `body` to `path`; a 204 gives `undefined`. */
export async function post<T = void>(path: string, body?: unknown, stop?: AbortSignal): Promise<T> {
  const response = await send("POST", path, body, stop);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** One MCP request as the page's principal, with the rules and the audit of every other client. */
export function mcp(method: McpMethod, params: JsonObject = {}, stop?: AbortSignal): Promise<McpAnswer> {
  return post<McpAnswer>("/ui/api/mcp", { method, params }, stop);
}

/** Calls a tool by its public name. */
export function callTool(name: string, args: JsonObject = {}, stop?: AbortSignal): Promise<McpAnswer> {
  return mcp("tools/call", { name, arguments: args }, stop);
}

/** The text of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const LINK = /^#link=([0-9A-Za-z_-]{1,256})$/;

/**
 * Opens the session: with the one-time link of the address if it has one, else with the cookie.
 * The link leaves the address before anything else happens, so no history keeps it.
 */
export async function openSession(): Promise<void> {
  const link = LINK.exec(location.hash)?.[1];
  if (link !== undefined) history.replaceState(null, "", location.pathname + location.search);
  try {
    const opened =
      link === undefined ? await get<Session>("/ui/api/session") : await post<Session>("/ui/api/session", { link });
    begin(opened);
    if (link !== undefined) tellOtherTabs("opened");
  } catch (error) {
    if (link !== undefined && error instanceof ApiError && error.status === 403 && (await reopened())) return;
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
      if (link === undefined) endSession("link-needed", "");
      else endSession("link-refused", error.message);
    } else session.value = { phase: "away", reason: errorText(error) };
  }
}

/** A link that was used already is no reason to end the session that it opened. */
export async function reopened(): Promise<boolean> {
  try {
    const response = await attempt("GET", "/ui/api/session", undefined);
    if (!response.ok) {
      await errorOf(response);
      return false;
    }
    begin((await response.json()) as Session);
    return true;
  } catch {
    return false;
  }
}

/** What a principal signs in with; it goes out in the body alone. */
export type SignInProof = { token: string } | { user: { name: string; password: string } };

/** Opens the session of the principal with this proof. */
export async function signIn(proof: SignInProof): Promise<void> {
  begin(await post<Session>("/ui/api/session", proof));
  tellOtherTabs("opened");
}

/** Leaves: the cookie is gone and the session's streams end. */
export async function leave(): Promise<void> {
  await post("/ui/api/session/end");
  tellOtherTabs("left");
  endSession("left", "");
}

type TabMessage = "opened" | "left";
const TABS = "hobnob-session";

/** The browser's other tabs of this page share its session. */
function tellOtherTabs(message: TabMessage): void {
  const channel = new BroadcastChannel(TABS);
  channel.postMessage(message);
  channel.close();
}

/**
 * A page whose session is over goes on as soon as the browser has a new one: another tab was opened
 * with a link, or the person comes back to this one.
 */
export function followOtherTabs(): void {
  const waits = () => session.value.phase === "ended" && session.value.why !== "left";
  new BroadcastChannel(TABS).addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (data === "opened" && waits()) void reopened();
    if (data === "left" && session.value.phase !== "starting") endSession("left", "");
  });
  addEventListener("focus", () => {
    if (waits()) void reopened();
  });
}
