// Calls of clients are seen as they run, in two tabs and over a slow line; one is cancelled.
//
//   node live.mjs CONFIG

import { ask, call, config, enter, mcp, open, run, settled, shot, visit } from "./browser.mjs";

const rows = (page, table, words) =>
  page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: words });

/** A call that runs until it is let go on, or cancelled. */
const wait = (word, client) =>
  mcp("tools/call", { name: "mcp__shop__wait", arguments: { word } }, { client }).then(JSON.stringify, String);

await run(async (browser) => {
  const context = await open(browser);
  const first = await enter(context);
  // The session is the browser's: another tab needs no link.
  const second = await context.newPage();
  await second.goto(`${new URL(config.mcp).origin}/ui`);
  const tabs = [first, second];
  for (const page of tabs) await visit(page, "#/now");

  const cancelled = wait("never", "Ada's editor");
  const freed = wait("free", "Bob's terminal");
  for (const page of tabs) {
    await rows(page, "Running calls", "Ada's editor").waitFor();
    await rows(page, "Running calls", "Bob's terminal").waitFor();
  }
  const said = await rows(first, "Running calls", "Ada's editor").innerText();
  await shot(first, "now-running");
  await rows(first, "Running calls", "Ada's editor").getByRole("button", { name: "Cancel" }).click();
  for (const page of tabs) {
    await rows(page, "Running calls", "Ada's editor").waitFor({ state: "detached" });
    await rows(page, "Ended calls", "Ada's editor").filter({ hasText: "cancelled" }).waitFor();
  }
  const stillThere = await rows(second, "Running calls", "Bob's terminal").count();
  await ask("go on", { word: "free" });
  await rows(second, "Ended calls", "Bob's terminal").filter({ hasText: "ok" }).waitFor();

  // More calls than are shown: the newest are there, and the lists keep their bounds.
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 10 }, (_, n) => call("mcp__shop__stock", {}, { client: `crowd ${round * 10 + n}` })));
  }
  await call("mcp__shop__stock", {}, { client: "the last one" });
  for (const page of tabs) await rows(page, "Ended calls", "the last one").waitFor();
  const listed = await rows(first, "Ended calls", "crowd").count();
  // Filters are for what is shown.
  await first.keyboard.press("/");
  await first.keyboard.type("the last");
  await first.waitForFunction(() => document.querySelectorAll("table[aria-label='Ended calls'] tbody tr").length === 1);
  await shot(first, "now-filtered");

  return {
    said,
    stillThere,
    listed,
    cancelled: await cancelled,
    freed: await freed,
    slow: await slowly(browser),
  };
});

/** What somebody sees whose line is slow: the page, and a call that ends while they watch. */
async function slowly(browser) {
  const context = await open(browser);
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  await network.send("Network.enable");
  const slow = { offline: false, latency: 700, downloadThroughput: 40_000, uploadThroughput: 20_000 };
  await network.send("Network.emulateNetworkConditions", slow);
  await page.goto((await ask("link")).url);
  await settled(page);
  await call("mcp__shop__stock", {}, { client: "seen slowly" });
  const row = rows(page, "Ended calls", "seen slowly");
  await row.waitFor();
  return row.innerText();
}
