// A hub for `npm run dev`: serves the page from its sources, and the contract with hostile texts.
// Its security headers are the real ones, so that what they forbid fails here too. Never shipped.
//   MOCK_PORT=4816  MOCK_CALLS_PER_MINUTE=60  MOCK_TOOLS=60  MOCK_LOGGED_IN=1 (no link needed)  MOCK_DIST=1 (serves dist/)

import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { options } from "../build.mjs";
import { hostile } from "./hostile.mjs";
import * as data from "./mock_data.mjs";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..");
const port = Number(process.env.MOCK_PORT ?? 4816);
const rate = Number(process.env.MOCK_CALLS_PER_MINUTE ?? 60);
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";
const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8", svg: "image/svg+xml" };
const session = { csrf: "csrf-1", rights: "owner", principal: "", view: "", version: "0.9.0", instance: "a1b2c3d4", project: "/home/ada/work/shop", profile_names: [], sign_in: [] };

let loggedIn = process.env.MOCK_LOGGED_IN === "1";
let sequence = 0;
let callId = 0;
const running = new Map();
const recent = [];
const streams = new Set();
const recordings = new Map();

const state = () => ({ status: data.status(), running: [...running.values()], recent, questions: data.questions, waiting: data.waiting, recordings: [...recordings.values()] });
const frame = (event, value) => `id: ${(sequence += 1)}\nevent: ${event}\ndata: ${JSON.stringify(value)}\n\n`;
function publish(event, value) {
  const text = frame(event, value);
  for (const stream of streams) stream.write(text);
}

const TARGETS = ["read_text_file", "edit_file", "create_issue", "query", "navigate"];
const SERVERS = ["files", "files", "linear", "browser", null];
const OUTCOMES = ["ok", "ok", "ok", "ok", "ok", "ok", "tool-error", "error", "refused", "timeout"];

function begin(target) {
  const id = (callId += 1);
  const server = SERVERS[id % 5];
  const call = {
    id, at: new Date().toISOString(), method: id % 17 ? "tools/call" : "resources/read", target: target ?? (server ? `mcp__${server}__${TARGETS[id % 5]}` : "memory_search"),
    server, principal: id % 4 ? "" : "ci", client: id % 23 ? ["Claude Code", "Cursor", "Zed"][id % 3] : hostile(id), via: id % 29 ? null : "cone", own_page: false,
    ...(id % 3 ? {} : { progress: { at: id % 100, total: id % 2 ? 100 : null, message: id % 9 ? "reading files" : hostile(id) } }),
  };
  running.set(id, call);
  return call;
}

function end(call, outcome) {
  running.delete(call.id);
  const ended = { ...call, outcome, code: outcome === "error" ? -32603 : null, duration_us: Math.max(300, (Date.now() - Date.parse(call.at)) * 1000), request_bytes: 180 + (call.id % 900), result_bytes: (call.id * 7919) % 90_000 };
  recent.push(ended);
  if (recent.length > 500) recent.shift();
  return ended;
}

for (let index = 0; index < 60; index += 1) {
  const call = begin();
  call.at = new Date(Date.now() - index * 4000).toISOString();
  end(call, OUTCOMES[index % OUTCOMES.length]).duration_us = 300 * 3 ** (index % 9);
}
recent.sort((left, right) => left.at.localeCompare(right.at));
begin("mcp__browser__a_long_task");
let due = 0;
setInterval(() => {
  due += (rate / 60) * 0.1;
  const begun = [];
  const ended = [];
  for (; due >= 1; due -= 1) begun.push(begin());
  for (const call of running.values()) {
    if (call.target !== "mcp__browser__a_long_task" && (rate > 600 || Math.random() < 0.08)) ended.push(end(call, OUTCOMES[call.id % OUTCOMES.length]));
  }
  if (begun.length + ended.length > 0) publish("calls", { begun, ended, dropped: 0 });
}, 100).unref();
setInterval(() => streams.forEach((stream) => stream.write(":\n\n")), 15_000).unref();

async function asset(name) {
  if (process.env.MOCK_DIST === "1") return readFile(path.join(root, "dist", name));
  if (name === "index.html" || name === "icon.svg") return readFile(path.join(root, "public", name));
  const { outputFiles } = await build({ ...options, minify: false, sourcemap: false, outdir: "dist", write: false });
  return Buffer.from(outputFiles.find((file) => file.path.endsWith(name)).contents);
}

async function body(request) {
  let text = "";
  for await (const piece of request) text += piece;
  return text === "" ? {} : JSON.parse(text);
}

const error = (status, message) => ({ status, json: { error: message } });

async function api(request, url) {
  const parts = url.pathname.slice("/ui/api/".length).split("/").map(decodeURIComponent);
  const post = request.method === "POST" ? await body(request) : null;
  if (parts[0] === "session" && post && parts.length === 1) {
    if (post.link !== "dev") return error(403, "this link was used already, or it is older than two minutes: run `hobnob ui` for a new one");
    loggedIn = true;
    return { status: 200, json: session };
  }
  if (!loggedIn) return error(401, "this page has no session: run `hobnob ui` and follow its link");
  if (post && request.headers["x-hobnob-csrf"] !== session.csrf) return error(403, "the request has no valid token: reload the page");
  if (parts[0] === "session" && parts[1] === "end") {
    loggedIn = false;
    for (const stream of streams) stream.end(frame("end", { reason: "session" }));
    return { status: 204 };
  }
  return post ? change(parts, post) : look(parts, url);
}

function look([kind, name, what], url) {
  const query = url.searchParams;
  switch (kind) {
    case "session": return { status: 200, json: session };
    case "state": return { status: 200, json: state() };
    case "usage": return { status: 200, json: data.usage(Number(query.get("days") ?? 7), query.get("by") ?? "tool") };
    case "audit": return name === "export" ? { status: 200, json: {} } : { status: 200, json: data.auditLines(Number(query.get("limit") ?? 200), query.get("before")) };
    case "health": return { status: 200, json: data.health() };
    case "rules": return { status: 200, json: data.rules };
    case "recordings": return { status: 200, json: [...recordings.values()] };
    case "histories": return { status: 200, json: data.histories() };
    case "servers": if (what === "history") return { status: 200, json: data.histories(name) };
      return what === "log" ? { status: 200, json: { text: Array.from({ length: 40 }, (_, index) => `${new Date(Date.now() - (40 - index) * 900).toISOString()} ${name}: line ${index} ${index % 10 ? "listening" : hostile(index / 10)}`).join("\n") } } : error(404, "no such page");
    default: return error(404, "no such page");
  }
}

function change([kind, name, what], post) {
  switch (kind) {
    case "mcp":
      if (post.method === "tools/list") return { status: 200, json: { result: { tools: data.tools } } };
      if (post.method === "tools/call") return { status: 200, json: data.toolResult(post.params.name, post.params.arguments ?? {}) };
      return { status: 200, json: { error: { code: -32601, message: "not in the mock" } } };
    case "calls": {
      const call = running.get(Number(name));
      if (!call) return error(404, "this call does not run any more");
      publish("calls", { begun: [], ended: [end(call, "cancelled")], dropped: 0 });
      return { status: 204 };
    }
    case "rules": return rules(name, post);
    case "recordings": {
      if (what === "stop") recordings.delete(Number(name));
      const id = recordings.size + 1;
      if (name === undefined) recordings.set(id, { id, subject: post.subject, started: new Date().toISOString(), ends: new Date(Date.now() + post.minutes * 60_000).toISOString(), total: 0, kept: 0, bytes: 0 });
      publish("recordings", [...recordings.values()]);
      return name === undefined ? { status: 200, json: { id } } : { status: 204 };
    }
    case "questions": {
      const question = data.questions.find((candidate) => candidate.number === Number(name));
      if (!question) return error(404, "there is no such question any more");
      if (question.answer !== null) return error(409, `question ${name} was answered with ${question.answer} already`);
      question.answer = post.answer;
      publish("questions", { questions: data.questions, waiting: data.waiting });
      return { status: 200, json: question };
    }
    case "servers": {
      const server = data.servers.find((candidate) => candidate.name === name);
      if (!server) return error(404, `there is no server \`${name}\``);
      if (server.phase === "needs-login") return error(409, "log in first: run `hobnob login github`");
      server.phase = what === "disable" ? "disabled" : what === "enable" ? "sleeping" : "ready";
      if (what === "restart") server.starts += 1;
      publish("status", data.status());
      return { status: 204 };
    }
    default: return error(404, "no such page");
  }
}

/** What a person took back is gone; what is previewed changes nothing. */
function rules(step, post) {
  const { rules: report } = data;
  if (step === "decide") return { status: 200, json: data.decided };
  if (step === "preview") return { status: 200, json: data.preview };
  if (step === "add") return { status: 200, json: { text: `${post.tool} ${post.action}`, notes: [] } };
  const without = (list, gone) => list.filter((one) => !gone(one));
  const { open, users } = report.logins;
  switch (post.what) {
    case "rule": report.rules = without(report.rules, (one) => one.profile === null && one.number === post.number); break;
    case "grant": for (const service of report.services) service.grants = without(service.grants, (one) => one.digest === post.digest); break;
    case "token": report.tokens = without(report.tokens, (one) => one.id === post.id); break;
    case "approval": report.approvals = without(report.approvals, (one) => one.server === post.server && one.kind === post.kind); break;
    case "consent": report.consents = without(report.consents, (one) => one.digest === post.digest); break;
    case "login": report.logins = { users, open: without(open, (one) => one.id === post.id), problem: null }; break;
    case "logins": report.logins = { users, open: without(open, (one) => one.user === post.user), problem: null }; break;
    default: return error(400, "no such thing");
  }
  publish("changed", { what: ["rules"] });
  return { status: 200, json: { text: `the ${post.what}`, notes: [] } };
}

createServer(async (request, response) => {
  const url = new URL(request.url, `http://${request.headers.host}`);
  const headers = { "content-security-policy": CSP, "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };
  try {
    if (url.pathname === "/ui/events") {
      if (!loggedIn) return void response.writeHead(401, headers).end();
      response.writeHead(200, { ...headers, "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write(frame("state", state()));
      streams.add(response);
      return void response.on("close", () => streams.delete(response));
    }
    if (url.pathname.startsWith("/ui/api/")) {
      const { status, json } = await api(request, url);
      response.writeHead(status, { ...headers, "content-type": "application/json", "cache-control": "no-store" });
      return void response.end(json === undefined ? undefined : JSON.stringify(json));
    }
    const name = { "/ui": "index.html", "/ui/": "index.html", "/ui/app.js": "app.js", "/ui/app.css": "app.css", "/ui/icon.svg": "icon.svg" }[url.pathname];
    if (!name) return void response.writeHead(404, headers).end();
    response.writeHead(200, { ...headers, "content-type": TYPES[name.split(".").pop()], "cache-control": "no-cache" });
    response.end(await asset(name));
  } catch (failure) {
    console.error(failure);
    response.writeHead(500, headers).end();
  }
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/ui#link=dev`));
