// A person logs in to a server from the page, in another tab, and out again.
//
//   node logging_in.mjs CONFIG

import { barriers, call, enter, expected, mcp, open, run, shot, visit } from "./browser.mjs";

await run(async (browser) => {
  const context = await open(browser);
  const page = await enter(context);
  const seen = { found: [] };
  await mcp("tools/call", { name: "mcp__private__whoami", arguments: {} });
  await visit(page, "#/waiting");
  const card = page.getByRole("region", { name: "Login: private" });
  await card.getByRole("button", { name: /^Log in/ }).click();
  const link = card.getByRole("link", { name: "Open the login page" });
  await link.waitFor();
  seen.link = await link.getAttribute("href");
  seen.rel = await link.getAttribute("rel");
  await shot(page, "login-waits");
  seen.found.push(...(await barriers(page)));
  const opened = context.waitForEvent("page");
  await link.click();
  const tab = await opened;
  await tab.waitForLoadState();
  seen.tab = await tab.innerText("body");
  await tab.close();
  await card.waitFor({ state: "detached" });
  // The tab is the only thing that left the page.
  expected();
  seen.said = JSON.stringify(await call("mcp__private__whoami"));
  await visit(page, "#/servers/private");
  await page.getByRole("button", { name: "Log out" }).click();
  const status = page.getByRole("status").filter({ hasText: "logged out" });
  await status.waitFor();
  seen.out = await status.innerText();
  await shot(page, "login-over");
  await page.getByRole("button", { name: /^Log in/ }).waitFor();
  seen.refused = JSON.stringify(await mcp("tools/call", { name: "mcp__private__whoami", arguments: {} }));
  return seen;
});
