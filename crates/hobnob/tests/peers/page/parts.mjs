// Opens every part of the page, light and dark, in a window of this size, with something to show.
//
//   node parts.mjs CONFIG
//
// CONFIG has a `size` too: `wide`, or `narrow` as a telephone.

import { barriers, call, config, enter, NARROW, open, overflow, parts, run, settled, shot, visit, WIDE } from "./browser.mjs";

const SIZES = { wide: WIDE, narrow: NARROW };
const THEMES = ["light", "dark"];

await run(async (browser) => {
  await prepare();
  const context = await open(browser);
  const page = await enter(context);
  await page.getByRole("table", { name: "Ended calls" }).waitFor();
  const found = [];
  const seen = await parts(page);
  const { size } = config;
  await page.setViewportSize(SIZES[size]);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    for (const part of [...seen, "#/servers/shop"]) {
      await visit(page, part);
      found.push(...(await look(page, `${part.replaceAll(/\W/g, "")}-${theme}-${size}`)));
    }
  }
  return { parts: seen, found, ...(size === "narrow" ? await byHand(page) : {}) };
});

/** What a person does with the frame: the menu of a narrow window, the keyboard, the colours. */
async function byHand(page) {
  const heading = page.getByRole("heading", { level: 1 });
  await visit(page, "#/now");
  await page.getByRole("button", { name: /Menu/ }).click();
  await page.getByRole("link", { name: "Servers" }).click();
  await heading.filter({ hasText: "Servers" }).waitFor();
  const menuIsOpen = await page.getByRole("link", { name: "Health" }).isVisible();
  await page.setViewportSize(WIDE);
  // A row of a table opens by the keyboard, and the skip link leads to the content.
  await page.getByRole("button", { name: "shop", exact: true }).focus();
  await page.keyboard.press("Enter");
  await heading.filter({ hasText: "shop" }).waitFor();
  const tab = await page.context().newPage();
  await tab.goto(page.url().replace(/#.*/, "#/audit"));
  await settled(tab);
  await tab.keyboard.press("Tab");
  const skip = await tab.evaluate(() => document.activeElement.textContent);
  await tab.keyboard.press("Enter");
  const focus = await tab.evaluate(() => document.activeElement.id);
  // The chosen colours stay when the page is opened again, whatever the system says.
  await page.emulateMedia({ colorScheme: "light" });
  while ((await page.evaluate(() => document.documentElement.dataset.theme)) !== "dark") {
    await page.getByRole("button", { name: /Colours/ }).click();
  }
  await page.reload();
  await settled(page);
  const dark = await page.evaluate(() => getComputedStyle(document.body).colorScheme + document.documentElement.dataset.theme);
  return { menuIsOpen, skip, focus, dark };
}

/** What is wrong with what a person sees now. */
async function look(page, name) {
  await settled(page);
  await shot(page, name);
  const wide = await overflow(page);
  const lines = (await barriers(page)).map((line) => `${name}: ${line}`);
  return wide > 0 ? [...lines, `${name}: ${wide} pixels wider than the window`] : lines;
}

/** Calls of each kind, memories, tasks, and conversations. */
async function prepare() {
  for (let number = 1; number <= 12; number += 1) {
    await call("mcp__shop__order", { item: `cup ${number}`, count: number, size: "small" }, { client: `client ${number % 3}` });
  }
  await call("mcp__shop__stock");
  await call("mcp__faulty__fail", {}, { fails: true });
  await call("mcp__faulty__echo", { message: "hello" });
  await call("memory_capture", { content: "The shop opens at nine.", namespace: "context", tags: ["shop"] });
  await call("memory_capture", { content: "Cups are sold out on Fridays.\n\n- ask Ann\n- call the supplier", namespace: "learnings" });
  const first = await call("tasks_create", { description: "Count the cups, twice." });
  const second = await call("tasks_create", { description: "Order new cups", blockers: [first.structuredContent.id], priority: "high" });
  await call("tasks_create", { description: "Wash them", parent: second.structuredContent.id });
  await call("tasks_update", { id: first.structuredContent.id, status: "in_progress" });
  await call("arbor_tree_create", { name: "cups", content: "You sell cups." });
  const tree_id = "cups";
  const question = await call("arbor_node_create_text", { tree_id, content: "How many cups are left?" });
  const parent = question.structuredContent.node_id ?? question.structuredContent.id;
  for (const content of ["Three.", "I do not know."]) {
    await call("arbor_node_create_text", { tree_id, parent, content, role: "assistant" });
  }
}
