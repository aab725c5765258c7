// A person records servers and clients on connections that are open already, looks at both sides of a
// call, downloads a recording, and stops it. What the messages say is text and nothing else.
//
//   node recorder.mjs CONFIG

import { barriers, call, config, enter, expected, mcp, NARROW, open, overflow, run, settled, shot, visit, WIDE } from "./browser.mjs";

const MARKUP = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>';
// In parts, so that this file has nothing that looks like a secret.
const TOKEN = ["ghp", "a1B2c3D4e5F6".repeat(3)].join("_");

await run(async (browser) => {
  const page = await enter(await open(browser));
  const seen = { found: [] };
  // Every connection is open before anything is recorded.
  const legacy = await openLegacy("Bob's terminal");
  await legacy("mcp__shop__stock", {});
  await call("mcp__shop__stock", {}, { client: "Ada's editor" });
  seen.before = await page.getByRole("link", { name: "Recorder" }).count();

  await record(page, "shop");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Recorder" }).waitFor();
  await call("mcp__shop__order", { item: `a cup ${TOKEN}`, count: 2 }, { client: "Ada's editor" });
  await legacy("mcp__shop__order", { item: "a plate", count: 3 });
  await call("mcp__faulty__echo", { text: "elsewhere" }, { client: "Ada's editor", fails: true }).catch(() => {});

  await visit(page, "#/now");
  await page.getByRole("link", { name: /^Recording server shop/ }).click();
  const table = page.getByRole("table", { name: "Recorded messages" });
  await table.getByRole("row").filter({ hasText: "a plate" }).first().waitFor();
  seen.list = await table.innerText();
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await shot(page, `recorder-${scheme}`);
    seen.found.push(...(await barriers(page)));
  }
  seen.call = await openMessage(page, "Ada's editor", "recorder-call");
  seen.found.push(...(await barriers(page)));
  await page.keyboard.press("Escape");
  seen.legacy = await openMessage(page, "Bob's terminal", "recorder-legacy");
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("a plate");
  await table.getByRole("row").filter({ hasText: "a cup" }).first().waitFor({ state: "detached" });
  seen.filtered = await table.innerText();
  await page.getByRole("searchbox").fill("");

  await page.setViewportSize(NARROW);
  await settled(page);
  seen.tooWide = await overflow(page);
  for (const scheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: scheme });
    await shot(page, `recorder-narrow-${scheme}`);
    seen.found.push(...(await barriers(page)));
  }
  await page.setViewportSize(WIDE);

  // A server and a client that write markup wherever they can.
  await record(page, "hostile");
  await mcp("tools/call", { name: "mcp__hostile__results", arguments: { [MARKUP]: MARKUP } }, { client: MARKUP });
  await page.getByRole("link", { name: "Show the messages" }).click();
  seen.hostile = await openMessage(page, "onerror", "recorder-hostile");
  seen.foreign = await page.evaluate(() => document.querySelectorAll("main img, main script, main svg:not(.icon), dialog img, dialog script").length);
  seen.ran = await page.evaluate(() => globalThis.__xss ?? null);
  await page.keyboard.press("Escape");

  const exported = (id) => page.evaluate((path) => fetch(path).then(async (it) => ({ status: it.status, text: await it.text() })), `/ui/api/recordings/${id}/export`);
  seen.export = (await exported(1)).text;
  while (await page.getByRole("button", { name: /^Stop recording/ }).count()) {
    const button = page.getByRole("button", { name: /^Stop recording/ }).first();
    const name = await button.getAttribute("aria-label");
    await button.click();
    await page.getByRole("button", { name, exact: true }).waitFor({ state: "detached" });
  }
  await page.getByText("Nothing is recorded").waitFor();
  seen.lights = await page.locator(".recording-light").count();
  seen.gone = (await exported(1)).status;
  seen.network = expected();
  seen.token = TOKEN;
  return seen;
});

/** Starts a recording on the page of a server. */
async function record(page, server) {
  await visit(page, `#/servers/${server}`);
  await page.getByRole("button", { name: `Record server ${server}` }).click();
  await page.getByText(/Recording: \d/).waitFor();
}

/** Opens the newest request of a client, which has both sides of its call; what is shown. */
async function openMessage(page, words, name) {
  const table = page.getByRole("table", { name: "Recorded messages" });
  const row = table.getByRole("row").filter({ hasText: words }).filter({ hasText: "client → Hobnob" });
  await row.filter({ hasText: "tools/call" }).first().getByRole("button").click();
  const dialog = page.getByRole("dialog");
  // The last message of a call is the answer to the client.
  await dialog.getByRole("region", { name: "Client and Hobnob" }).getByText("Hobnob → client").waitFor();
  await shot(page, name);
  return dialog.innerText();
}

/** A client of an older revision with an open session: calls tools. */
async function openLegacy(name) {
  const send = async (message, headers = {}) => {
    const answer = await fetch(config.mcp, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    await answer.text();
    return answer;
  };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name, version: "1" } };
  const hello = await send({ id: 0, method: "initialize", params });
  const session = { "mcp-session-id": hello.headers.get("mcp-session-id"), "mcp-protocol-version": "2025-06-18" };
  await send({ method: "notifications/initialized" }, session);
  let id = 0;
  return (tool, args) => send({ id: (id += 1), method: "tools/call", params: { name: tool, arguments: args } }, session);
}
