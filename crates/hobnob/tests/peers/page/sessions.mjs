// Links work once, sessions end, hubs are restarted: each time the page says what to do.
//
//   node sessions.mjs CONFIG

import { ask, barriers, call, config, enter, expected, link, open, run, shot, visit } from "./browser.mjs";

const home = `${new URL(config.mcp).origin}/ui`;
const heading = (page, name) => page.getByRole("heading", { name });
const ended = (page) => heading(page, "This page's session has ended");

await run(async (browser) => {
  const seen = { found: [] };
  const look = async (page, name) => {
    await shot(page, `session-${name}`);
    seen.found.push(...(await barriers(page)).map((line) => `${name}: ${line}`));
    seen[name] = { text: await page.innerText("body"), url: page.url(), network: expected() };
  };

  // Nobody has opened it in this browser.
  const stranger = await (await open(browser)).newPage();
  await stranger.goto(home);
  await heading(stranger, "This page opens with a link from hobnob ui").waitFor();
  await look(stranger, "without");

  // A link that somebody made up, and one that was used.
  await stranger.goto(`${home}#link=${"0".repeat(64)}`);
  await stranger.reload();
  await heading(stranger, /^This (page opens with a link|link does not open)/).waitFor();
  await look(stranger, "guessed");
  const context = await open(browser);
  const page = await context.newPage();
  const used = await link();
  await page.goto(used);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  seen.address = page.url();
  seen.readable = await page.evaluate(() => `${document.cookie}${JSON.stringify(localStorage)}${JSON.stringify(sessionStorage)}`);
  await page.goBack().catch(() => {});
  seen.before = page.url();
  await page.goto(home);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  seen.opened = expected();
  const thief = await (await open(browser)).newPage();
  await thief.goto(used);
  await heading(thief, "This link does not open the page").waitFor();
  await look(thief, "used");
  // The link that is used up does not end the session that it opened.
  await page.goto("about:blank");
  await page.goto(used);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  expected();

  // Who leaves in one tab has left in all of them.
  const leaving = await open(browser);
  const [one, two] = [await enter(leaving), await leaving.newPage()];
  await two.goto(home);
  await two.getByText("live", { exact: true }).waitFor();
  await one.getByRole("button", { name: "Leave" }).click();
  await heading(one, "You have left").waitFor();
  await heading(two, "You have left").waitFor();
  await look(two, "left");

  // A session that has expired: the hub no longer knows the cookie, which is noticed at the next request.
  const expiring = await open(browser);
  const late = await enter(expiring);
  await visit(late, "#/now");
  await expiring.clearCookies();
  await late.evaluate(() => (location.hash = "#/memory"));
  await ended(late).waitFor();
  await look(late, "expired");

  // The hub ends while the page is open, comes back, and knows the page no longer.
  await visit(page, "#/now");
  await ask("stop");
  await page.getByRole("status").filter({ hasText: "the hub does not answer" }).waitFor();
  await look(page, "away");
  await ask("start");
  await ended(page).waitFor();
  await look(page, "restarted");
  await page.goto("about:blank");
  await page.goto(await link());
  await page.getByText("live", { exact: true }).waitFor();
  await visit(page, "#/now");
  await call("mcp__shop__stock", {}, { client: "after the restart" });
  await page.getByRole("row").filter({ hasText: "after the restart" }).waitFor();
  return seen;
});
