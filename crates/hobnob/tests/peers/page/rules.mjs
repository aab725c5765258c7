// The owner looks at what decides about calls, changes it, and a member's very next call shows it.
//
//   node rules.mjs CONFIG

import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { NARROW, ask, barriers, call, config, enter, expected, mcp, open, run, shot, visit } from "./browser.mjs";

const command = (...words) => ask("command", { words });
const ann = { token: config.member, client: "ann's editor" };
/** What a member's call says, allowed or not. */
const attempt = async (tool, args = {}) => JSON.stringify(await mcp("tools/call", { name: tool, arguments: args }, ann));
const HOSTILE = "<img src=x onerror=window.__xss=1>";

await run(async (browser) => {
  const context = await open(browser);
  const page = await enter(context);
  const seen = { found: [] };
  for (let number = 0; number < 3; number += 1) await call("mcp__shop__stock", {}, ann);
  await visit(page, "#/rules");
  await page.getByRole("table", { name: "Rules" }).waitFor();
  seen.start = await page.innerText("main");
  seen.found.push(...(await barriers(page)));
  await shot(page, "rules");

  // What would happen, and which rule says so.
  const decide = page.getByRole("form", { name: "A call to decide about" });
  await decide.getByLabel("Tool").fill("shop/edit");
  await decide.getByLabel("Called by").fill("token:ann");
  await decide.getByRole("button", { name: "Decide" }).click();
  await page.getByText("decides the call above").waitFor();
  seen.decided = await page.locator("section.panel").filter({ hasText: "What would happen?" }).innerText();
  await decide.getByLabel("Tool").fill("nosuchtool");
  await decide.getByRole("button", { name: "Decide" }).click();
  seen.unknown = await page.getByRole("alert").first().innerText();

  // A rule is added once its effect was seen, and counts for the very next call.
  const deny = page.getByRole("button", { name: "Add a rule" });
  await deny.click();
  const dialog = page.getByRole("dialog");
  const form = dialog.getByRole("form", { name: "A new rule" });
  await form.getByLabel("Tools").fill("shop/stokc");
  await form.getByLabel("What happens").selectOption("deny");
  await form.getByLabel("Whose calls").selectOption("principal");
  await form.getByRole("combobox", { name: "Principal", exact: true }).fill("token:ann");
  await form.getByRole("button", { name: "See what it would do" }).click();
  seen.mistyped = await dialog.getByRole("alert").innerText();
  await form.getByLabel("Tools").fill("shop/stock");
  await form.getByRole("button", { name: "See what it would do" }).click();
  await form.getByRole("button", { name: "Write this rule" }).waitFor();
  seen.preview = await dialog.innerText();
  seen.found.push(...(await barriers(page)));
  await shot(page, "rules-add");
  await form.getByRole("button", { name: "Write this rule" }).click();
  await dialog.waitFor({ state: "detached" });
  seen.denied = await attempt("mcp__shop__stock");
  const row = page.getByRole("table", { name: "Rules" }).getByRole("row").filter({ hasText: "token:ann" });
  await row.waitFor();

  // It is removed, and the next call runs again.
  await row.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("One tool is decided otherwise").waitFor();
  seen.removing = await dialog.innerText();
  seen.found.push(...(await barriers(page)));
  await shot(page, "rules-remove");
  await dialog.getByRole("button", { name: "Remove it" }).click();
  await dialog.waitFor({ state: "detached" });
  await row.waitFor({ state: "detached" });
  seen.allowed = await attempt("mcp__shop__stock");

  // An answer until the hub restarts holds for the next call, is shown, and is withdrawn.
  await command("ask", "shop/stock", "--principal", "token:ann");
  await row.waitFor();
  const asks = { ...ann, capabilities: { elicitation: { form: {} } } };
  const stock = (more = {}) => mcp("tools/call", { name: "mcp__shop__stock", arguments: {}, ...more }, asks);
  const { inputRequests, requestState } = (await stock()).result;
  const [key] = Object.keys(inputRequests);
  const yes = { action: "accept", content: { answer: "until_restart" } };
  await stock({ inputResponses: { [key]: yes }, requestState });
  seen.remembered = JSON.stringify(await stock());
  const held = page.getByRole("table", { name: "Answers until the hub restarts" }).getByRole("row").filter({ hasText: "token:ann" });
  await held.waitFor();
  seen.held = await held.innerText();
  seen.found.push(...(await barriers(page)));
  await shot(page, "rules-answers");
  await takeBack(page, held, "Withdraw it");
  seen.askedAgain = (await stock()).result.resultType;
  await takeBack(page, row, "Remove it");

  // What a command does in a terminal is seen without a reload, in another tab as well.
  const other = await context.newPage();
  await other.goto(`${new URL(config.mcp).origin}/ui#/rules`);
  await other.getByRole("table", { name: "Rules" }).waitFor();
  await command("deny", "shop/picture", "--principal", "token:ann");
  const rowIn = (tab) => tab.getByRole("table", { name: "Rules" }).getByRole("row").filter({ hasText: "shop/picture" });
  await rowIn(page).waitFor();
  await rowIn(other).waitFor();

  // The other tab removes it first: this one's click removes nothing else.
  await rowIn(page).getByRole("button", { name: "Remove" }).click();
  await dialog.getByText("One tool is decided otherwise").waitFor();
  await rowIn(other).getByRole("button", { name: "Remove" }).click();
  await other.getByRole("dialog").getByRole("button", { name: "Remove it" }).click();
  await rowIn(other).waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Remove it" }).click();
  await dialog.getByText("changed meanwhile").first().waitFor();
  seen.conflict = await dialog.innerText();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await other.close();

  // A request that does not come from the page changes nothing.
  seen.forged = await page.evaluate(async () => {
    const rules = async () => (await (await fetch("/ui/api/rules")).json());
    const { digest } = await rules();
    const body = JSON.stringify({ what: "rule", number: 1, digest });
    const answer = await fetch("/ui/api/rules/take-back", { method: "POST", headers: { "content-type": "application/json" }, body });
    return { status: answer.status, same: (await rules()).digest === digest };
  });

  // Grants, approvals and tokens: given in a terminal, taken back on the page.
  await ask("write", { file: "shared/a.txt", text: "what the file says" });
  await command("enable", "files");
  await command("grant", "files", "../shared", "--for", "token:ann");
  const granted = page.getByRole("table", { name: "Grants" }).getByRole("row").filter({ hasText: "shared" });
  await granted.waitFor();
  const folder = (await command("grants")).services.find((it) => it.name === "files").grants[0].text.split(" ")[1];
  seen.readable = await attempt("files_read", { path: `${folder}/a.txt` });
  await takeBack(page, granted, "Revoke it");
  seen.revoked = await attempt("files_read", { path: `${folder}/a.txt` });
  seen.grants = JSON.stringify(await command("grants"));

  const script = path.join(import.meta.dirname, "shop.py");
  const journal = path.join(folder, "extra.journal");
  const extra = { mcpServers: { extra: { command: "python3", args: [script, journal] } } };
  await ask("write", { file: "project/.mcp.json", text: JSON.stringify(extra) });
  await command("approve", "extra", "--yes", "--trust");
  const approvals = page.getByRole("table", { name: "Approvals" }).getByRole("row").filter({ hasText: "extra" });
  const approved = approvals.filter({ hasText: "may start" });
  const trusted = approvals.filter({ hasText: "may change" });
  await approved.waitFor();
  seen.approved = await attempt("mcp__extra__stock");
  // Its tools may change as long as that is trusted, and not any more afterwards.
  const describe = async (text) => {
    await ask("write", { file: "shared/extra.journal.stock", text });
    await command("restart", "extra");
  };
  await describe("Lists what is left.");
  seen.trusted = await attempt("mcp__extra__stock");
  await takeBack(page, trusted, "Withdraw it");
  await describe("Lists what is left, and orders the rest.");
  seen.distrusted = await attempt("mcp__extra__stock");
  await takeBack(page, approved, "Withdraw it");
  seen.withdrawn = await attempt("mcp__extra__stock");

  // Users who may log in, also before any has.
  await command("user", "add", "ops", "--no-password");
  const users = page.getByRole("table", { name: "Users" }).getByRole("row").filter({ hasText: "ops" });
  await users.waitFor();
  seen.users = await users.innerText();

  // Names that a file gives are text. The page shows the file as it is now.
  const hostile = `[[permissions]]\ntool = "*"\naction = "allow"\n[[permissions]]\ntool = '${HOSTILE}'\npattern = '${HOSTILE}'\nprincipal = '${HOSTILE}\u202e'\naction = "deny"\n[listener]\nmode = "token"\npublic_url = "https://hub.example.com"\n`;
  await ask("write", { file: "hobnob/config/config.toml", text: hostile });
  await page.getByRole("table", { name: "Rules" }).getByText("onerror=").first().waitFor();
  seen.hostile = await page.innerText("main");
  await shot(page, "rules-hostile");
  const bad = page.getByRole("table", { name: "Rules" }).getByRole("row").filter({ hasText: "onerror=" });
  await bad.getByRole("button", { name: "Remove" }).click();
  seen.hostileDialog = await dialog.innerText();
  await dialog.getByRole("button", { name: "Remove it" }).click();
  await bad.waitFor({ state: "detached" });
  seen.ranScript = await page.evaluate(() => globalThis.__xss ?? null);

  // On a telephone, light and dark.
  await page.setViewportSize(NARROW);
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    seen.found.push(...(await barriers(page)));
    await shot(page, `rules-narrow-${colorScheme}`);
  }
  seen.wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  const token = page.getByRole("table", { name: "Access tokens" }).getByRole("row").filter({ hasText: "token:ann" });
  await takeBack(page, token, "Revoke it");
  seen.locked = await fetch(config.mcp, { method: "POST", headers: { authorization: `Bearer ${config.member}` }, body: "{}" }).then((it) => it.status);
  const state = path.join(folder, "../hobnob/state");
  const logs = (await readdir(state)).filter((name) => /^audit.*jsonl$/.test(name));
  seen.audit = (await Promise.all(logs.map((name) => readFile(path.join(state, name), "utf8")))).join("");
  seen.network = expected();
  return seen;
});

/** Takes back what a row shows, and waits until the row is gone. */
async function takeBack(page, row, name) {
  await row.getByRole("button").click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
  await row.waitFor({ state: "detached" });
}
