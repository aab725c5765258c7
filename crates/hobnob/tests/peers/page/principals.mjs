// A principal signs in with a token, sees what is theirs, and leaves; another one sees nothing of it.
//
//   node principals.mjs CONFIG

import { ask, barriers, call, config, expected, NARROW, open, overflow, parts, run, settled, shot, visit } from "./browser.mjs";

const home = `${new URL(config.mcp).origin}/ui`;
const field = (page) => page.getByLabel("Access token");

async function signIn(page, token) {
  await field(page).fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor({ state: "attached" });
}

await run(async (browser) => {
  const { token: other } = await ask("command", { words: ["token", "create", "bob"] });
  await call("mcp__shop__stock", {}, { token: config.member, client: "ann's editor" });
  await call("mcp__shop__picture", {}, { token: other, client: "bob's editor" });
  const context = await open(browser);
  const page = await context.newPage();
  await page.goto(home);
  const found = [];
  const look = async (name) => {
    await shot(page, `principal-${name}`);
    found.push(...(await barriers(page)).map((line) => `${name}: ${line}`));
  };
  await page.getByRole("heading", { name: "Sign in to this hub" }).waitFor();
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await look(`sign-in-${theme}`);
  }
  await field(page).fill("hob_wrong_token");
  await page.getByRole("button", { name: "Sign in" }).click();
  const refused = await page.getByRole("alert").innerText();
  const kept = await field(page).inputValue();

  expected();
  await signIn(page, config.member);
  await page.getByRole("table", { name: "Ended calls" }).waitFor();
  const seen = { refused, kept, parts: await parts(page), url: page.url() };
  seen.readable = await page.evaluate(() => `${document.cookie}${JSON.stringify(localStorage)}${JSON.stringify(sessionStorage)}`);
  seen.texts = {};
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    for (const part of seen.parts) {
      await visit(page, part);
      await look(`${part.replaceAll(/\W/g, "")}-${theme}`);
      seen.texts[part] = await page.innerText("body");
    }
  }
  await page.setViewportSize(NARROW);
  seen.wider = [];
  for (const part of seen.parts) {
    await visit(page, part);
    await look(`${part.replaceAll(/\W/g, "")}-narrow`);
    if (0 < (await overflow(page))) seen.wider.push(part);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  // A part of the owner's leads nowhere.
  await page.goto(`${home}#/recorder`);
  await settled(page);
  seen.unknown = await page.getByRole("heading", { level: 1 }).innerText();

  // The next person in this browser.
  await page.getByRole("button", { name: "Leave" }).click();
  await field(page).waitFor();
  seen.left = await page.innerText("body");
  expected();
  await signIn(page, other);
  await page.getByRole("table", { name: "Ended calls" }).getByText("picture").first().waitFor();
  seen.other = await page.innerText("body");
  // The owner takes the token back, and the open page learns it by itself.
  await ask("command", { words: ["token", "revoke", "bob"] });
  await field(page).waitFor();
  seen.revoked = await page.innerText("main.alone");
  expected();
  return { ...seen, found };
});
