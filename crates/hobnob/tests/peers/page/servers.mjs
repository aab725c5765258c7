// A person looks at servers, reads their logs, restarts one, and turns it off and on again.
//
//   node servers.mjs CONFIG

import { barriers, call, enter, mcp, open, run, shot, visit } from "./browser.mjs";

await run(async (browser) => {
  const page = await enter(await open(browser));
  const seen = { found: [] };
  await call("mcp__shop__stock");

  await visit(page, "#/servers");
  await page.getByRole("row").filter({ hasText: "broken" }).waitFor();
  seen.list = await page.getByRole("table", { name: "Servers" }).innerText();
  await page.getByRole("button", { name: "broken" }).click();
  await page.getByText("no settings found").first().waitFor();
  await shot(page, "server-broken");
  seen.found.push(...(await barriers(page)));

  await visit(page, "#/servers/shop");
  await page.getByLabel("Log of shop").getByText("the shop opens").waitFor();
  const starts = () => page.locator("dt", { hasText: "Starts" }).locator("xpath=following-sibling::dd[1]").innerText();
  seen.before = await starts();
  const status = page.getByRole("status").filter({ hasText: /^(Restarted|Disabled|Enabled)$/ });
  await page.getByRole("button", { name: "Restart", exact: true }).click();
  await status.filter({ hasText: "Restarted" }).waitFor();
  await becomes(page, "Starts", "2");
  seen.after = await starts();

  // A call that runs is not interrupted without a question.
  const waiting = mcp("tools/call", { name: "mcp__shop__wait", arguments: { word: "never" } }, { client: "patient" }).then(JSON.stringify, String);
  await page.getByRole("tab", { name: "Calls" }).click();
  await page.getByRole("table", { name: "Running calls" }).getByRole("row").filter({ hasText: "patient" }).waitFor();
  await page.getByRole("button", { name: "Restart", exact: true }).click();
  const dialog = page.getByRole("dialog");
  seen.asked = await dialog.innerText();
  await shot(page, "server-restart-asks");
  seen.found.push(...(await barriers(page)));
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  seen.runsOn = await page.getByRole("table", { name: "Running calls" }).getByRole("row").filter({ hasText: "patient" }).count();
  await page.getByRole("button", { name: "Restart", exact: true }).click();
  await dialog.getByRole("button", { name: "Restart it" }).click();
  seen.interrupted = await waiting;
  await status.filter({ hasText: "Restarted" }).waitFor();

  // Where no call waits, there is no question.
  await becomes(page, "Requests that wait for it", "0");
  await page.getByRole("row").filter({ hasText: "patient" }).filter({ hasText: "Cancel" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await page.getByRole("button", { name: "Enable", exact: true }).waitFor();
  seen.whileOff = JSON.stringify(await mcp("tools/call", { name: "mcp__shop__stock", arguments: {} }));
  await page.getByRole("button", { name: "Enable", exact: true }).click();
  await page.getByRole("button", { name: "Disable", exact: true }).waitFor();
  seen.whenOn = JSON.stringify(await call("mcp__shop__stock"));
  await shot(page, "server-on-again");
  return seen;
});

/** Waits until a fact about the server has this value. */
function becomes(page, name, value) {
  const has = ([name, value]) => [...document.querySelectorAll("dt")].some((it) => it.textContent === name && it.nextElementSibling.textContent === value);
  return page.waitForFunction(has, [name, value]);
}
