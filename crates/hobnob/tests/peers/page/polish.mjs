// What a person's work on the page survives: a slow line, sleep, a restart of the hub, a look at another
// part, a change by somebody else; and whether all of it goes by hand and by keyboard.
//
//   node polish.mjs CONFIG

import { ask, barriers, call, enter, expected, link, NARROW, open, overflow, run, settled, shot, visit } from "./browser.mjs";

const seen = { found: [] };
const look = async (page, name) => {
  await shot(page, `polish-${name}`);
  seen.found.push(...(await barriers(page)).map((line) => `${name}: ${line}`));
  const wide = await overflow(page);
  if (wide > 0) seen.found.push(`${name}: ${wide} pixels wider than the window`);
};
const rows = (page, table, words) => page.getByRole("table", { name: table }).getByRole("row").filter({ hasText: words });
const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim() || document.activeElement?.tagName);
const item = (page) => page.locator("form.stack").getByLabel(/^item\b/);

await run(async (browser) => {
  await call("mcp__shop__stock", {}, { client: "Ada's editor" });
  await firstMoments(browser);
  const context = await open(browser);
  const page = await enter(context);
  await withoutThePage(page);
  await theForm(page);
  await byKeyboard(page);
  await conflict(page);
  await narrow(page);
  await restarted(context, page);
  await plots(page);
  await asleep(browser);
  return seen;
});

/** Before anything has arrived, and over a slow line, nothing is called empty. */
async function firstMoments(browser) {
  const page = await (await open(browser)).newPage();
  let go = () => {};
  const held = new Promise((resolve) => (go = resolve));
  const wait = async (route) => (await held, route.continue());
  await page.route("**/ui/events", wait);
  await page.goto(await link());
  await page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
  seen.first = await page.innerText("main");
  await look(page, "first-moment");
  go();
  await rows(page, "Ended calls", "Ada's editor").waitFor();

  let answer = () => {};
  const slow = new Promise((resolve) => (answer = resolve));
  await page.route("**/ui/api/**", async (route) => (await slow, route.continue()));
  seen.slow = {};
  for (const part of ["tools", "usage", "memory", "tasks", "trees", "audit", "health"]) {
    await page.evaluate((to) => (location.hash = to), `#/${part}`);
    await page.locator(".loading").first().waitFor();
    seen.slow[part] = await page.innerText("main");
  }
  await look(page, "slow");
  answer();
  await settled(page);
  await page.context().close();
}

/** The page's own reads do not push the clients' calls out of Now, unless a person wants to see them. */
async function withoutThePage(page) {
  await visit(page, "#/memory");
  await visit(page, "#/tasks");
  await visit(page, "#/now");
  await rows(page, "Ended calls", "Ada's editor").waitFor();
  const own = rows(page, "Ended calls", "hobnob page");
  seen.ownAtFirst = await own.count();
  await page.getByLabel("Without this page").uncheck();
  await own.first().waitFor();
  await page.reload();
  await own.first().waitFor();
  seen.remembered = await page.getByLabel("Without this page").isChecked();
  await page.getByLabel("Without this page").check();
  await own.first().waitFor({ state: "detached" });
}

/** A required default is there, a corrected problem is gone, and a look elsewhere loses nothing. */
async function theForm(page) {
  await visit(page, "#/tools/mcp__shop__order");
  const form = page.locator("form.stack");
  seen.preset = await form.getByLabel(/^count\b/).inputValue();
  await form.getByRole("button", { name: "Call", exact: true }).click();
  await form.getByRole("alert").waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-invalid") === "true");
  seen.problem = await form.getByRole("alert").innerText();
  await look(page, "form-problem");
  await page.keyboard.type("a kettle");
  await form.getByRole("alert").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
  seen.title = await page.title();
  seen.focusAfterChange = await focused(page);
  await page.getByRole("searchbox", { name: "Filter by words" }).fill("stock");
  await page.getByRole("link", { name: "Tools", exact: true }).click();
  seen.kept = await item(page).inputValue();
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  seen.filterKept = await page.getByRole("searchbox", { name: "Filter by words" }).inputValue();
  await page.getByRole("searchbox", { name: "Filter by words" }).fill("");
  await settled(page);
}

/** Lists, dialogs and the back button without a mouse. */
async function byKeyboard(page) {
  await page.getByRole("link", { name: "Tools", exact: true }).click();
  await page.getByRole("link", { name: "Tools", exact: true }).click();
  await page.getByRole("link", { name: /mcp__shop__order/ }).waitFor();
  seen.groups = await page.locator(".tool-list h2").allInnerTexts();
  await page.locator("h1").focus();
  await page.keyboard.press("/");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  seen.firstTool = await focused(page);
  await page.keyboard.press("Enter");
  await page.locator("form.stack").waitFor();

  await visit(page, "#/now");
  const row = rows(page, "Ended calls", "Ada's editor").first().getByRole("button");
  const dialog = page.getByRole("dialog");
  await row.focus();
  await page.keyboard.press("Enter");
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  seen.focusAfterDialog = await focused(page);
  await row.click();
  await dialog.waitFor();
  await look(page, "call");
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  seen.afterBack = new URL(page.url()).hash;
  await page.goto(`${page.url().replace(/#.*/, "")}#/audit`);
  await settled(page);
  const line = page.getByRole("table").getByRole("button").first();
  await line.click();
  await dialog.waitFor();
  const address = page.url();
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
  await page.goForward();
  await dialog.waitFor();
  seen.sameLine = page.url() === address;
  await page.goBack();
  await dialog.waitFor({ state: "detached" });
}

/** Somebody else changes the memory that is edited: the person decides, and loses nothing. */
async function conflict(page) {
  const stored = await call("memory_capture", { content: "Doors open at nine.\nRing twice.", namespace: "decisions", tags: ["door"] });
  const { id } = stored.structuredContent;
  await visit(page, `#/memory/${id}`);
  const detail = page.getByRole("region", { name: "Memory", exact: true });
  const text = detail.getByLabel("What it says");
  await detail.getByRole("button", { name: "Edit" }).click();
  await text.fill("Doors open at ten.\nRing twice.");
  await call("memory_update", { id, content: "Doors open at nine.\nRing three times.", tags: ["door", "bell"] });
  const meanwhile = detail.getByRole("region", { name: "Changed meanwhile" });
  await meanwhile.waitFor();
  seen.conflict = await meanwhile.innerText();
  seen.typed = await text.inputValue();
  await look(page, "conflict");
  // A look elsewhere keeps the draft, too.
  await visit(page, "#/trees");
  await page.getByRole("heading", { level: 1, name: "Trees" }).waitFor();
  await visit(page, `#/memory/${id}`);
  await page.getByRole("heading", { level: 1, name: "Memory" }).waitFor();
  await meanwhile.getByRole("button", { name: /Keep editing mine/ }).click();
  await detail.getByRole("button", { name: "Save" }).click();
  await detail.getByRole("button", { name: "Edit" }).waitFor();
  seen.saved = (await call("memory_get", { id })).structuredContent;

  await detail.getByRole("button", { name: "Edit" }).click();
  await text.fill("mine");
  await call("memory_update", { id, content: "theirs" });
  await meanwhile.getByRole("button", { name: /Take theirs/ }).click();
  await detail.getByText("theirs", { exact: true }).first().waitFor();
  seen.theirs = (await call("memory_get", { id })).structuredContent.content;
}

/** The points of a plot can be read by keys, and as a table. */
async function plots(page) {
  await visit(page, "#/usage");
  const days = page.getByText("1 day", { exact: true });
  await days.click();
  await settled(page);
  const points = page.getByRole("slider", { name: /Calls and errors/ });
  // The hub writes usage down when it ends; otherwise within a minute.
  await points.waitFor();
  await points.focus();
  await page.keyboard.press("End");
  seen.point = await points.getAttribute("aria-valuetext");
  await page.getByText("As a table: Calls and errors").click();
  seen.figures = await page.getByRole("region", { name: "Figures of the plot Calls and errors" }).innerText();
  await look(page, "usage");
  await visit(page, "#/now");
  const bars = page.getByRole("slider", { name: /Calls of the last 5 minutes/ });
  await bars.focus();
  await page.keyboard.press("Home");
  seen.bar = await bars.getAttribute("aria-valuetext");
}

/** A telephone: a line of the log is one line. */
async function narrow(page) {
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    for (const part of ["now", "tools", "usage", "audit"]) {
      await visit(page, `#/${part}`);
      await look(page, `${part}-narrow-${colorScheme}`);
    }
  }
  const line = page.getByRole("table", { name: /audit log/ }).getByRole("row").nth(1);
  seen.lineHeight = (await line.boundingBox()).height;
  await line.click();
  await page.getByRole("dialog").waitFor();
  await look(page, "audit-line-narrow");
  await page.getByRole("button", { name: "Close" }).click();
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(size);
}

/** The hub is restarted while a form is being filled in, and a dialog is open in another part. */
async function restarted(context, page) {
  await visit(page, "#/tools/mcp__shop__order");
  await item(page).fill("typed before the restart");
  await ask("stop");
  await page.getByText(/No connection/).waitFor();
  seen.away = await page.locator("main > .note").allInnerTexts();
  seen.typedWhileAway = await item(page).inputValue();
  await look(page, "away");
  await ask("start");
  const ended = page.getByRole("heading", { name: "This page's session has ended" });
  await ended.waitFor();
  seen.ended = await page.innerText("body");
  await look(page, "ended");
  // The link opens another tab, and the first one goes on by itself.
  const tab = await context.newPage();
  await tab.goto(await link());
  await tab.getByRole("navigation", { name: "Pages" }).waitFor();
  await item(page).waitFor();
  seen.typedAfter = await item(page).inputValue();
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("region", { name: "Answer" }).getByText("ordered").waitFor();
  seen.titleAfter = await page.title();
  await tab.close();
  // The browser itself tells of the requests that found no hub, or no session.
  seen.network = expected();
}

/** A laptop that was closed for an hour: what happened meanwhile is there once it is opened. */
async function asleep(browser) {
  const page = await (await open(browser)).newPage();
  await page.clock.install();
  await page.goto(await link());
  await page.getByText("live", { exact: true }).waitFor();
  await visit(page, "#/now");
  await page.clock.fastForward("01:00:00");
  await call("mcp__shop__stock", {}, { client: "while it slept" });
  await page.clock.runFor(20_000);
  await rows(page, "Ended calls", "while it slept").waitFor();
  await page.getByText("live", { exact: true }).waitFor();
  await page.context().close();
}
