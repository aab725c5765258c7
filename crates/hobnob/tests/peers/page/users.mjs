// A user of the hub's own login signs in with a name and a password, over TLS, and leaves.
//
//   node users.mjs CONFIG

import { barriers, config, expected, NARROW, open, overflow, parts, run, shot, visit } from "./browser.mjs";

const home = `${new URL(config.mcp).origin}/ui`;

await run(async (browser) => {
  // The certificate is the test's own.
  const context = await open(browser, { ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(home);
  const found = [];
  const look = async (name) => {
    await shot(page, `user-${name}`);
    found.push(...(await barriers(page)).map((line) => `${name}: ${line}`));
  };
  const password = page.getByLabel("Password");
  const signIn = async (word) => {
    await page.getByLabel("User name").fill(config.user);
    await password.fill(word);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  };
  await page.getByRole("heading", { name: "Sign in to this hub" }).waitFor();
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await look(`sign-in-${theme}`);
  }
  await page.setViewportSize(NARROW);
  const wider = await overflow(page);
  // Tokens open the page as well.
  await page.getByRole("button", { name: "Use an access token instead" }).click();
  await page.getByLabel("Access token").waitFor();
  await look("token-narrow");
  await page.getByRole("button", { name: "Sign in with your user name" }).click();
  await page.setViewportSize({ width: 1280, height: 900 });
  await signIn("wrong horse battery");
  const refused = await page.getByRole("alert").innerText();
  const kept = await password.inputValue();
  expected();

  await signIn(config.password);
  await page.getByRole("navigation", { name: "Pages" }).waitFor({ state: "attached" });
  const readable = await page.evaluate(() => `${document.cookie}${JSON.stringify(localStorage)}${JSON.stringify(sessionStorage)}`);
  const [cookie] = await context.cookies();
  const texts = {};
  for (const part of await parts(page)) {
    await visit(page, part);
    texts[part] = await page.innerText("body");
  }
  await look("access");
  await page.getByRole("button", { name: "Leave" }).click();
  await password.waitFor();
  const left = await page.innerText("body");
  return { found, wider, refused, kept, readable, cookie, texts, left };
});
