// Pages of other sites try to reach a hub on this machine from a real browser.
//
//   node doors.mjs CHROMIUM LISTENER
//
// PEER_HOME is the folder that playwright-core is installed in. Prints one line of JSON: what each page
// got, and that the browser does reach the hub when a person opens it.

import http from "node:http";
import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const { chromium } = require("playwright-core");
const [program, listener] = process.argv.slice(2);
const hub = new URL(listener);

const site = http.createServer((_request, answer) => {
  answer.writeHead(200, { "content-type": "text/html" });
  answer.end("<title>a page</title>");
});
await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
const port = site.address().port;

const browser = await chromium.launch({
  executablePath: program,
  args: [
    "--no-sandbox",
    "--host-resolver-rules=MAP *.test 127.0.0.1",
    // Newer browsers keep pages from machines nearby by themselves; not everybody has one.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
  ],
});

// Runs in the page: every way to send something without a person.
const attempts = async (base) => {
  const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const json = { "content-type": "application/json", accept: "application/json" };
  const read = async (path, options) => {
    const answer = await fetch(base + path, options);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    return `REACHED ${answer.status} ${await answer.text()}`;
  };
  const socket = (path) =>
    new Promise((done, failed) => {
      const connection = new WebSocket(base.replace("http", "ws") + path);
      connection.onopen = () => done("REACHED");
      connection.onerror = () => failed(new Error("closed"));
    });
  const events = (path) =>
    new Promise((done, failed) => {
      const source = new EventSource(base + path);
      source.onmessage = source.onopen = () => done("REACHED");
      source.addEventListener("endpoint", () => done("REACHED"));
      source.onerror = () => (source.close(), failed(new Error("closed")));
    });
  const ways = {
    post: () => read("/mcp", { method: "POST", headers: json, body: call }),
    simplePost: () => read("/mcp", { method: "POST", body: call }),
    get: () => read("/health"),
    remove: () => read("/mcp", { method: "DELETE" }),
    socket: () => socket("/ws"),
    events: () => events("/sse"),
  };
  const seen = {};
  for (const [name, way] of Object.entries(ways)) {
    seen[name] = await way().catch((error) => `refused: ${error.message}`);
  }
  return seen;
};

const seen = {};
const page = await browser.newPage();
for (const [name, url, base] of [
  // Another program on this machine.
  ["neighbour", `http://127.0.0.1:${port}/`, hub.origin],
  // Another site.
  ["foreign", `http://evil.test:${port}/`, hub.origin],
]) {
  await page.goto(url);
  seen[name] = await page.evaluate(attempts, base);
}
// A site whose name leads to the hub meanwhile: the browser takes both for the same site.
const rebound = `http://evil.test:${hub.port}`;
await page.route(`${rebound}/page`, (route) =>
  route.fulfill({ contentType: "text/html", body: "<title>a page</title>" }),
);
await page.goto(`${rebound}/page`);
seen.rebound = await page.evaluate(attempts, rebound);
seen.own = String((await page.goto(`${hub.origin}/health`)).status());

await browser.close();
site.close();
console.log(JSON.stringify(seen));
