// 10,000 calls a minute: first while no page is open, then while one shows them. Reports what the hub
// and the page take, and whether every call was counted.
//
//   node load.mjs CONFIG, with `closed` and `open`: the seconds of each part

import { readFile } from "node:fs/promises";
import http from "node:http";
import { ask, config, enter, noted, open, run, settled, shot, visit } from "./browser.mjs";

const PER_MINUTE = 10_000;
const TOOL = "mcp__echo__echo";
/** How often calls are sent, and how often the page is measured. */
const TICK_MS = 20;
const SAMPLE_MS = 5_000;
/** More calls than this wait only if the machine is too slow: then fewer are sent. */
const MAX_OPEN = 64;

const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
const prefix = "io.modelcontextprotocol/";
const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: TOOL,
    arguments: { word: "hello" },
    _meta: {
      [`${prefix}protocolVersion`]: "2026-07-28",
      [`${prefix}clientInfo`]: { name: "a busy client", version: "1" },
      [`${prefix}clientCapabilities`]: {},
    },
  },
});
const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "tools/call",
  "mcp-name": TOOL,
  "content-length": Buffer.byteLength(body),
};

/** One call; true if it was answered with the word. */
function call() {
  return new Promise((done) => {
    const request = http.request(config.mcp, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.on("data", (part) => (text += part));
      answer.on("end", () => done(text.includes('"hello"') && !text.includes("isError\":true")));
      answer.on("error", () => done(false));
    });
    request.on("error", () => done(false));
    request.end(body);
  });
}

/** Sends calls at the rate for so many seconds; ends when all are answered. */
async function load(seconds) {
  const count = { sent: 0, failed: 0, open: 0 };
  const begun = Date.now();
  await new Promise((done) => {
    const timer = setInterval(() => {
      const elapsed = Math.min(seconds * 1000, Date.now() - begun);
      const due = Math.floor((elapsed / 60_000) * PER_MINUTE);
      for (let ready = due - count.sent; 0 < ready && count.open < MAX_OPEN; ready -= 1) {
        count.sent += 1;
        count.open += 1;
        call().then((works) => {
          count.open -= 1;
          if (!works) count.failed += 1;
        });
      }
      if (seconds * 1000 <= Date.now() - begun) {
        clearInterval(timer);
        done();
      }
    }, TICK_MS);
  });
  while (0 < count.open) await new Promise((next) => setTimeout(next, TICK_MS));
  return { calls: count.sent, failed: count.failed, seconds: (Date.now() - begun) / 1000 };
}

/** The processor time of the hub in milliseconds, and its memory in bytes. */
async function used(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { cpu_ms: (Number(fields[11]) + Number(fields[12])) * 10, resident: Number(fields[21]) * 4096 };
}

/** What a part of the load took. */
async function measured(pid, work) {
  const before = await used(pid);
  const done = await work();
  const after = await used(pid);
  const cpu_ms = after.cpu_ms - before.cpu_ms;
  return {
    ...done,
    cpu_ms,
    core_percent: Math.round((cpu_ms / done.seconds / 10) * 100) / 100,
    us_per_call: Math.round((cpu_ms * 1000) / Math.max(1, done.calls)),
    resident_mb: Math.round(after.resident / 1e5) / 10,
  };
}

/** What the page is at one moment. */
async function sample(page, tools) {
  await tools.send("HeapProfiler.collectGarbage");
  const { metrics } = await tools.send("Performance.getMetrics");
  const metric = (name) => metrics.find((it) => it.name === name)?.value ?? 0;
  const rows = await page.evaluate(() => document.querySelectorAll("tbody tr").length);
  return { heap_kb: Math.round(metric("JSHeapUsedSize") / 1000), nodes: metric("Nodes"), rows, busy_s: metric("TaskDuration") };
}

/** Uses the page while calls pass: how long each step takes until it is seen. */
async function use(page) {
  const pause = page.getByRole("button", { name: "Pause" });
  let begun = Date.now();
  await pause.click();
  const goOn = page.getByRole("button", { name: "Go on" });
  await goOn.waitFor();
  const click_ms = Date.now() - begun;
  await goOn.click();
  await pause.waitFor();
  begun = Date.now();
  await page.keyboard.press("/");
  await page.keyboard.type("busy client");
  await page.waitForFunction(() => document.querySelector("input[data-search]")?.value === "busy client");
  const type_ms = Date.now() - begun;
  await page.locator("input[data-search]").first().fill("");
  begun = Date.now();
  await visit(page, "#/servers");
  await visit(page, "#/now");
  return { click_ms, type_ms, visits_ms: Date.now() - begun };
}

await run(async (browser) => {
  const { pid } = await ask("hub");
  // Starts the server, and makes connections.
  await Promise.all(Array.from({ length: 200 }, call));
  const closed = await measured(pid, () => load(config.closed));

  const context = await open(browser);
  await context.addInitScript(() => {
    globalThis.longTasks = { count: 0, max_ms: 0, sum_ms: 0 };
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        const all = globalThis.longTasks;
        Object.assign(all, { count: all.count + 1, max_ms: Math.max(all.max_ms, duration), sum_ms: all.sum_ms + duration });
      }
    }).observe({ type: "longtask", buffered: true });
  });
  const page = await enter(context);
  await visit(page, "#/now");
  await settled(page);
  const paint_ms = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null);
  const tools = await context.newCDPSession(page);
  await tools.send("Performance.enable");
  const counted = () =>
    page.evaluate(async () => (await (await fetch("/ui/api/servers/echo/history")).json()).servers[0].calls?.calls ?? 0);
  const before = await counted();
  await page.evaluate(() => Object.assign(globalThis.longTasks, { count: 0, max_ms: 0, sum_ms: 0 }));

  const samples = [await sample(page, tools)];
  const uses = [];
  let ended = false;
  const watching = (async () => {
    while (!ended) {
      await new Promise((next) => setTimeout(next, SAMPLE_MS));
      if (ended) break;
      uses.push(await use(page));
      samples.push(await sample(page, tools));
    }
  })();
  const shown = await measured(pid, async () => {
    const done = await load(config.open);
    ended = true;
    return done;
  });
  await watching;
  samples.push(await sample(page, tools));
  const counts = (await counted()) - before;
  await shot(page, "now-under-load");
  const most = (name) => Math.max(...samples.map((it) => it[name]));
  const slowest = (name) => Math.max(0, ...uses.map((it) => it[name]));
  const tasks = await page.evaluate(() => globalThis.longTasks);
  return {
    noted,
    closed,
    open: shown,
    // Of one core, at the full rate: a busy machine may have sent fewer calls in one part.
    more_core_percent: Math.round(((shown.us_per_call - closed.us_per_call) * PER_MINUTE) / 60 / 100) / 100,
    counted: counts,
    first_contentful_paint_ms: Math.round(paint_ms ?? -1),
    longest_task_ms: Math.round(tasks.max_ms),
    long_tasks: tasks.count,
    heap_kb: { first: samples[0].heap_kb, last: samples.at(-1).heap_kb, most: most("heap_kb") },
    nodes: { first: samples[0].nodes, last: samples.at(-1).nodes, most: most("nodes") },
    // Over time, a few of them.
    series: samples.filter((_, at) => at % Math.ceil(samples.length / 10) === 0).map(({ heap_kb, nodes }) => [heap_kb, nodes]),
    rows: most("rows"),
    page_busy_percent: Math.round(((samples.at(-1).busy_s - samples[0].busy_s) / shown.seconds) * 1000) / 10,
    uses: uses.length,
    slowest_click_ms: slowest("click_ms"),
    slowest_typing_ms: slowest("type_ms"),
    slowest_visits_ms: slowest("visits_ms"),
  };
});
