// The requests that change servers: their bodies and answers. Secrets in entries are masked by the hub.
// What must stay true: each change sends the digest of exactly what was shown.

import { get, post } from "../../api.ts";

export type PreviewedServer = {
  name: string;
  words: string[];
  is_url: boolean;
  pairs: { name: string; value: string }[];
  entry: string;
  replaces: string | null;
  warnings: string[];
  problem: string | null;
  digest: string;
};

export type PastePreview = { problem: string | null; file: string; servers: PreviewedServer[] };

export type WantedServer = { at: number; name: string; replace: boolean; digest: string };

export type ShownEntry = { file: string; entry: string; also_in: string[]; backups: string; digest: string };

export type ReviewedServer = { file: string; lines: string[]; replaces_yours: boolean; digest: string };

export type ReviewedTool = {
  name: string;
  is_new: boolean;
  before: string | null;
  now: string | null;
  suspicions: string[];
  digest: string;
};

export type ServerReview = { server: ReviewedServer | null; problem: string | null; tools: ReviewedTool[]; more: number };

export type LoginProgress =
  | { state: "none" }
  | { state: "waiting" }
  | { state: "done" }
  | { state: "failed"; why: string };

/** As much of a text as the hub reads. */
export const MAX_PASTE_BYTES = 64 * 1024;

const path = (server: string, step: string) => `/ui/api/servers/${encodeURIComponent(server)}/${step}`;

export const preview = (text: string, names: readonly string[], stop: AbortSignal) =>
  post<PastePreview>("/ui/api/servers/preview", { text, names }, stop);

export const add = (text: string, servers: readonly WantedServer[]) =>
  post<{ added: string[] }>("/ui/api/servers", { text, servers });

export const readEntry = (server: string, stop: AbortSignal) => get<ShownEntry>(path(server, "entry"), stop);

export const remove = (server: string, digest: string) => post(path(server, "remove"), { digest });

export const readReview = (server: string, stop: AbortSignal) => get<ServerReview>(path(server, "review"), stop);

export const approve = (server: string, digest: string, tool?: string) =>
  post(path(server, "approve"), tool === undefined ? { digest } : { digest, tool });

export const beginLogin = (server: string) => post<{ page: string | null }>(path(server, "login"));

export const loginProgress = (server: string, stop: AbortSignal) => get<LoginProgress>(path(server, "login"), stop);

export const logOut = (server: string) => post<{ said: string }>(path(server, "logout"));
