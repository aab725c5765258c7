// What a call says about its progress, and what servers did in the last hour, is seen.
//
//   node history.mjs CONFIG

import { ask, barriers, call, enter, mcp, NARROW, open, overflow, run, shot, visit } from "./browser.mjs";

await run(async (browser) => {
  const context = await open(browser);
  const page = await enter(context);
  await visit(page, "#/now");
  const client = "Ada's editor";
  const waiting = mcp("tools/call", { name: "mcp__shop__wait", arguments: { word: "seen" } }, { client, progress: "p1" });
  const row = page.getByRole("table", { name: "Running calls" }).getByRole("row").filter({ hasText: client });
  await row.getByRole("progressbar").waitFor();
  // Beside a running call, its server is recorded with one click.
  await row.getByRole("button", { name: "Record shop for 5 minutes" }).click();
  await row.getByRole("link", { name: "recording" }).click();
  const recorded = await page.innerText("main");
  await page.getByRole("button", { name: "Stop recording server shop" }).click();
  await page.getByText("Nothing is recorded").waitFor();
  await visit(page, "#/now");
  await row.getByRole("progressbar").waitFor();
  const progress = { part: await row.getByRole("progressbar").getAttribute("value"), text: await row.innerText() };
  await shot(page, "now-progress");
  // A page that opens later learns how far the call has come, too.
  const later = await context.newPage();
  await later.goto(page.url());
  await later.getByRole("table", { name: "Running calls" }).getByRole("progressbar").waitFor();
  await later.close();
  await ask("go on", { word: "seen" });
  await waiting;
  for (let number = 0; number < 20; number += 1) await call("mcp__shop__stock");

  const found = [];
  await visit(page, "#/servers");
  const band = page.getByRole("img", { name: /in the last hour/ });
  await band.first().waitFor();
  const bands = await band.evaluateAll((all) => all.map((it) => it.getAttribute("aria-label")));
  const list = await page.getByRole("table", { name: "Servers" }).innerText();
  await shot(page, "servers-bands");
  found.push(...(await barriers(page)));

  await visit(page, "#/servers/shop");
  const hour = page.getByRole("region", { name: "The last hour" });
  await hour.getByText("95 % answered within").waitFor();
  const shop = await hour.innerText();
  await visit(page, "#/servers/broken");
  await hour.getByText(/no settings found/).first().waitFor();
  const broken = await hour.innerText();
  await shot(page, "server-history");
  found.push(...(await barriers(page)));
  await visit(page, "#/health");
  await page.getByText("Newest revision").waitFor();
  await page.getByRole("table", { name: "Processes of servers" }).waitFor();
  const health = await page.innerText("main");
  found.push(...(await barriers(page)));

  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: "dark" });
  const wider = [];
  for (const part of ["#/servers", "#/servers/broken", "#/health"]) {
    await visit(page, part);
    if (part !== "#/health") await page.getByRole("img", { name: /in the last hour/ }).first().waitFor();
    wider.push(await overflow(page));
    await shot(page, `history-narrow-${wider.length}`);
    found.push(...(await barriers(page)));
  }
  return { recorded, progress, bands, list, shop, broken, health, found, wider };
});
