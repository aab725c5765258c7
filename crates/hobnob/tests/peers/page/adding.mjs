// A person adds a first server to an empty hub and calls it, adds others, removes one; and what must
// not work does not.
//
//   node adding.mjs CONFIG

import { ask, barriers, config, enter, expected, NARROW, open, overflow, run, shot, visit, WIDE } from "./browser.mjs";

const MARKUP = '<img src=x onerror="window.__xss=1">';

await run(async (browser) => {
  await ask("write", { file: "hobnob/config/mcp.json", text: '{"mcpServers": {}}' });
  const page = await enter(await open(browser));
  const seen = { found: [], names: {}, statuses: {} };
  const look = async (name) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await shot(page, `adding-${name}-${colorScheme}`);
      seen.found.push(...(await barriers(page)));
    }
    await page.setViewportSize(NARROW);
    await shot(page, `adding-${name}-narrow`);
    if ((await overflow(page)) > 0) seen.found.push(`${name} is too wide`);
    await page.setViewportSize(WIDE);
  };
  const main = page.locator("main");
  const box = () => page.getByLabel("Paste its command");
  const name = () => page.getByLabel("Name", { exact: true });
  const submit = () => page.getByRole("button", { name: /^Add (this server|\d+ servers)$/ });

  // An empty hub leads to the form.
  await visit(page, "#/now");
  await page.getByRole("link", { name: "Add your first server" }).click();
  await page.getByRole("heading", { name: "Add your first server" }).waitFor();
  await look("empty");

  await box().fill('{"mcpServers": {');
  await main.getByText("not JSON").waitFor();
  seen.bad = await main.innerText();
  await box().fill("please add my server");
  await main.getByText("finds no program").waitFor();
  seen.prose = await main.innerText();
  await box().fill(MARKUP);
  await main.getByText("is for a shell").waitFor();
  await box().fill("x".repeat(70_000));
  await main.getByText("longer than 64 KiB").waitFor();

  await box().fill(`LEVEL=debug API_TOKEN=geheim python3 '${config.shop}' '${config.journal}'`);
  await submit().waitFor();
  await page.getByText("What is written to the file").click();
  seen.preview = await main.innerText();
  await look("preview");
  for (const wrong of ["../x", "-x"]) {
    await name().fill(wrong);
    await main.getByText(`\`${wrong}\` cannot name a server`).waitFor();
    seen.names[wrong] = await main.innerText();
    if (await submit().isEnabled()) seen.found.push(`${wrong} can be added`);
  }
  await name().fill("__proto__");
  await page.waitForFunction(() => !document.querySelector("main").innerText.includes("cannot name"));
  seen.names.proto = await main.innerText();
  await name().fill("shop");
  await page.waitForFunction(() => ![...document.querySelectorAll("main button")].find((it) => it.textContent.startsWith("Add this"))?.disabled);
  await submit().click();
  await page.getByText("It offers 5 tools").waitFor();
  await look("added");
  await page.getByRole("link", { name: "call one" }).click();
  await visit(page, "#/tools/mcp__shop__stock");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await page.getByRole("region", { name: "Answer" }).getByText("plate").first().waitFor();
  seen.stock = await page.getByRole("region", { name: "Answer" }).innerText();

  // A call that a rule asks about is answered in place, and then runs.
  await visit(page, "#/tools/mcp__shop__edit");
  for (const name of ["path", "old_string", "new_string"]) await page.getByLabel(name).first().fill(`the ${name}`);
  await page.getByRole("button", { name: "Call", exact: true }).click();
  const first = page.getByRole("region", { name: "Answer first" });
  await first.getByText("Hobnob asks you").waitFor();
  seen.asked = await first.innerText();
  await look("asked");
  await first.getByRole("button", { name: /^Yes, this once/ }).click();
  await page.getByRole("region", { name: "Answer", exact: true }).getByText("edited the path").first().waitFor();

  // Several servers of one text; one of them exists already.
  await visit(page, "#/servers");
  await page.getByRole("button", { name: "Add a server" }).click();
  const entry = { command: "python3", args: [config.shop, `${config.journal}.two`] };
  await box().fill(`{"mcpServers": {"two": ${JSON.stringify(entry)}, "__proto__": ${JSON.stringify(entry)}, "shop": ${JSON.stringify(entry)}}}`);
  await main.getByText("exists already").waitFor();
  seen.taken = await main.innerText();
  if (await submit().isEnabled()) seen.found.push("a server is replaced unasked");
  await look("several");
  await page.getByLabel("Add shop").uncheck();
  await submit().click();
  await page.getByRole("table", { name: "Servers" }).getByText("two").waitFor();
  seen.polluted = await page.evaluate(() => ({}).command ?? null);

  seen.statuses = await attacks(page);
  expected();

  await visit(page, "#/servers/two");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Remove it" }).waitFor();
  seen.removal = await dialog.innerText();
  seen.found.push(...(await barriers(page)));
  await dialog.getByRole("button", { name: "Remove it" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("table", { name: "Servers" }).getByText("two").waitFor({ state: "detached" });

  // Without a rule, an answer can write one; it names the file, however long its path is.
  await visit(page, "#/rules");
  await main.getByText("mcp__shop__edit").first().waitFor();
  await ask("write", { file: "hobnob/config/config.toml", text: "" });
  await main.getByText("mcp__shop__edit").first().waitFor({ state: "detached" });
  await visit(page, "#/tools/mcp__shop__stock");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await first.getByRole("button", { name: /^Yes, .* always/ }).waitFor();
  await look("choices");
  return seen;
});

/** Requests that must change nothing, sent from the page itself: the status of each. */
async function attacks(page) {
  return page.evaluate(async () => {
    const { csrf } = await (await fetch("/ui/api/session")).json();
    const send = async (path, body, headers = { "x-hobnob-csrf": csrf }) => {
      const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) });
      return { status: answer.status, body: answer.status === 200 ? await answer.json() : null };
    };
    const text = '{"shop": {"command": "true"}}';
    const { digest } = (await send("/ui/api/servers/preview", { text })).body.servers[0];
    const add = (server, more) => send("/ui/api/servers", { text, servers: [{ at: 0, name: "shop", digest, ...server }] }, more);
    const status = async (sent) => (await sent).status;
    const statuses = {
      "no token": await status(add({}, {})),
      changed: await status(add({ name: "other" })),
      taken: await status(add({})),
      "bad name": await status(add({ name: "../x" })),
      "no such": await status(add({ at: 7 })),
      long: await status(send("/ui/api/servers/preview", { text: "x".repeat(1 << 20) })),
      "remove other": await status(send("/ui/api/servers/shop/remove", { digest })),
      unknown: await status(send("/ui/api/servers/constructor/approve", { digest })),
    };
    return { ...statuses, "other origin": await status(send("/ui/api/servers", { text, servers: [] }, { "x-hobnob-csrf": "0" })) };
  });
}
