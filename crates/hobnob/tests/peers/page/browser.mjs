// A real browser on the page of a hub, for the other scripts of this folder: whatever the page does
// that it must not do is noted, and every script reports it.
//
// The test starts a script as `node SCRIPT.mjs CONFIG`, with JSON in CONFIG: the browser's program, the
// hub's address and a folder for screenshots. PEER_HOME is the folder that playwright-core and
// axe-core are installed in. Each line on standard output is one JSON text: a request to the test,
// which answers with one line on standard input, or at last the report.

import { createRequire } from "node:module";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const { chromium } = require("playwright-core");
const axe = await readFile(require.resolve("axe-core/axe.min.js"), "utf8");

export const config = JSON.parse(process.argv[2]);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Has the test do something that only it can do, and returns its answer. */
export async function ask(what, more = {}) {
  process.stdout.write(`${JSON.stringify({ ask: what, ...more })}\n`);
  const { value, done } = await lines.next();
  if (done) throw new Error("the test is gone");
  return JSON.parse(value);
}

/** A one-time link to the page, from `hobnob ui --no-open --json`. */
export const link = async () => (await ask("link")).url;

/** Calls the hub as an MCP client of the newest revision does. Returns the answer's text as JSON. */
export async function mcp(method, params, { token, client = "a client", capabilities = {}, signal, progress } = {}) {
  const name = params.name ?? params.uri;
  const prefix = "io.modelcontextprotocol/";
  const _meta = {
    [`${prefix}protocolVersion`]: "2026-07-28",
    [`${prefix}clientInfo`]: { name: client, version: "1" },
    [`${prefix}clientCapabilities`]: capabilities,
    ...(progress ? { progressToken: progress } : {}),
  };
  const answer = await fetch(config.mcp, {
    method: "POST",
    signal,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name ? { "mcp-name": name } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  });
  const text = await answer.text();
  const events = text.split("\n").filter((line) => line.startsWith("data:"));
  return JSON.parse(events.length ? events.at(-1).slice("data:".length) : text);
}

/** Calls a tool, which must work unless it is one that `fails`. */
export async function call(tool, args = {}, options = {}) {
  const answer = await mcp("tools/call", { name: tool, arguments: args }, options);
  const failed = !answer.result || (answer.result.isError && !options.fails);
  if (failed) throw new Error(`${tool}: ${JSON.stringify(answer)}`);
  return answer.result;
}

export const textOf = (result) => (result.content ?? []).map((it) => it.text).join("\n");

/** What happened in the browser that must never happen. */
export const noted = [];

const note = (kind, words) => noted.push(`${kind}: ${words}`);

/** Runs a scenario, and reports what it returns. */
export async function run(scenario) {
  const browser = await chromium.launch({ executablePath: config.chromium, args: ["--no-sandbox"] });
  let report;
  try {
    report = await scenario(browser);
  } catch (error) {
    // What the page showed says more than the error does.
    const shown = browser.contexts().flatMap((it) => it.pages());
    for (const [number, page] of shown.entries()) {
      await shot(page, `failed-${path.basename(process.argv[1], ".mjs")}-${number}`).catch(() => {});
      const text = await page.innerText("body").catch(() => "");
      console.error(`-- ${page.url()}\n${text.slice(0, 4000)}`);
    }
    console.error(noted.join("\n"));
    throw error;
  }
  await browser.close();
  const said = `${JSON.stringify({ report: { noted, ...report } })}\n`;
  process.stdout.write(said, () => process.exit(0));
}

/** A context of its own, as another person's browser has it. */
export async function open(browser, options = {}) {
  const context = await browser.newContext({ viewport: WIDE, ...options });
  context.setDefaultTimeout(config.patience);
  context.on("page", watch);
  // Of two listeners, the later one: the browser's own message says less.
  await context.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      console.error(`CSP ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  return context;
}

/** Notes what a page does that it must not. */
function watch(page) {
  const origin = new URL(config.mcp).origin;
  page.on("pageerror", (error) => note("error", error.stack ?? String(error)));
  page.on("dialog", (dialog) => (note("dialog", dialog.message()), dialog.dismiss().catch(() => {})));
  page.on("popup", (popup) => note("popup", popup.url()));
  page.on("download", (download) => note("download", download.url()));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) note("console", `${message.text()} ${message.location().url}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !["data:", "blob:", "about:"].includes(url.protocol)) note("request", request.url());
  });
}

/** What was noted so far, which the script itself brought about. */
export const expected = () => noted.splice(0);

export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 380, height: 800 };

/** A page that a one-time link has just opened. */
export async function enter(context) {
  const page = await context.newPage();
  await page.goto(await link());
  await page.getByRole("navigation", { name: "Pages" }).waitFor({ state: "attached" });
  return page;
}

/** The titles of the page's parts, by their place in the address. */
export async function parts(page) {
  return page.$$eval("#navigation a", (all) => all.map((it) => it.getAttribute("href")));
}

/** Goes to a part, and waits until it has what it loads. */
export async function visit(page, hash) {
  await page.evaluate(go, hash);
  await settled(page);
}

/** In the page: ends once the part of this address is drawn, and what it loads has begun to load. */
function go(to) {
  return new Promise((done) => {
    if (location.hash === to) return done();
    const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => done()));
    addEventListener("hashchange", drawn, { once: true });
    location.hash = to;
  });
}

export async function settled(page) {
  await page.waitForFunction(() => document.querySelector("main h1") && !document.querySelector(".loading"));
}

export async function shot(page, name) {
  await mkdir(config.shots, { recursive: true });
  await page.screenshot({ path: path.join(config.shots, `${name}.png`), fullPage: true });
}

/** What those who cannot see or point would stumble over, a line each. */
export async function barriers(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 5).map((it) => `${id}: ${it.html.slice(0, 200)} | ${it.failureSummary?.replaceAll(/\s+/g, " ").slice(0, 300)}`),
  );
}

/** How many pixels the page is wider than its window. */
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
