// A member's calls wait for the owner, who answers on the page; each answer counts once.
//
//   node questions.mjs CONFIG

import { barriers, call, config, enter, expected, open, run, shot, textOf, visit } from "./browser.mjs";

const change = { path: "notes.md", old_string: "one\ntwo\nthree", new_string: "one\n<img src=x onerror=window.__xss=1>\nthree" };
const attempt = async (args) => textOf(await call("mcp__shop__edit", args, { token: config.member, client: "ann's editor", fails: true }));

await run(async (browser) => {
  const context = await open(browser);
  const page = await enter(context);
  const other = await context.newPage();
  await other.goto(`${new URL(config.mcp).origin}/ui#/waiting`);
  await other.getByText("Nothing waits for you").waitFor();
  const waited = await attempt(change);

  // The number is beside the title of the part and in the tab, wherever one is.
  await page.getByRole("navigation", { name: "Pages" }).getByText("1 waiting").waitFor();
  await page.waitForFunction(() => document.title.startsWith("(1)"));
  await visit(page, "#/waiting");
  const card = page.locator("section.question");
  await card.waitFor();
  const shown = await card.innerText();
  const found = await barriers(page);
  await shot(page, "waiting-question");
  await other.getByRole("button", { name: /Yes, run it once/ }).waitFor();
  await card.getByRole("button", { name: /Yes, run it once/ }).click();
  await card.getByText("Answered: yes").waitFor();
  await other.getByRole("button", { name: /Yes, run it once/ }).waitFor({ state: "detached" });
  await page.waitForFunction(() => !document.title.startsWith("("));

  const ran = await attempt(change);
  const again = await attempt(change);
  await page.getByRole("button", { name: /^No/ }).click();
  await page.getByText("Answered: no").waitFor();
  const refused = await attempt(change);

  // A question that is answered elsewhere meanwhile: the page says so.
  await attempt({ ...change, path: "other.md" });
  const late = page.locator("section.question").filter({ hasText: "other.md" });
  const yes = late.getByRole("button", { name: /Yes/ });
  await yes.waitFor();
  // The other tab's answer is there before this one's arrives.
  let answers = 0;
  await page.route("**/ui/api/questions/*", async (route) => {
    answers += 1;
    if (answers === 1) {
      await otherAnswers(other);
      await late.getByText("Answered: no").waitFor();
    }
    await route.continue();
  });
  await yes.click();
  const conflict = await late.getByRole("alert").first().innerText();
  return { ran_script: await page.evaluate(() => globalThis.__xss ?? null), shown, waited, ran, again, refused, conflict, found, network: expected() };
});

/** The other tab says no first. */
async function otherAnswers(other) {
  const card = other.locator("section.question").filter({ hasText: "other.md" });
  await card.getByRole("button", { name: /^No/ }).click();
  await card.getByText("Answered: no").waitFor();
}
