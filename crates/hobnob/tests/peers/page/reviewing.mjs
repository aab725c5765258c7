// A person approves a project's server and a changed tool: exactly as they are shown.
//
//   node reviewing.mjs CONFIG

import { ask, barriers, call, config, enter, expected, NARROW, open, overflow, run, shot, visit, WIDE } from "./browser.mjs";

await run(async (browser) => {
  const page = await enter(await open(browser));
  const seen = { found: [] };
  const look = async (name) => {
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme });
      await shot(page, `reviewing-${name}-${colorScheme}`);
      seen.found.push(...(await barriers(page)));
    }
    await page.setViewportSize(NARROW);
    await shot(page, `reviewing-${name}-narrow`);
    if ((await overflow(page)) > 0) seen.found.push(`${name} is too wide`);
    await page.setViewportSize(WIDE);
  };
  const post = (path, body) =>
    page.evaluate(
      async ([path, body]) => {
        const { csrf } = await (await fetch("/ui/api/session")).json();
        const headers = { "content-type": "application/json", "x-hobnob-csrf": csrf };
        return (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).status;
      },
      [path, body],
    );
  const review = (server) => page.evaluate(async (path) => (await fetch(path)).json(), `/ui/api/servers/${server}/review`);

  const theirs = (level) => JSON.stringify({ mcpServers: { theirs: { ...config.theirs, env: { LEVEL: level } } } });
  await ask("write", { file: "project/.mcp.json", text: theirs("1") });
  await visit(page, "#/waiting");
  const card = page.getByRole("region", { name: "Approval: theirs" });
  await card.getByText("with LEVEL=1").waitFor();
  seen.server = await card.innerText();
  await look("server");
  const old = await review("theirs");
  // The page must not read the new entry before the person clicks.
  const reads = "**/ui/api/servers/theirs/review";
  await page.route(reads, (route) => route.abort());
  await ask("write", { file: "project/.mcp.json", text: theirs("2") });
  seen.changedServer = await post("/ui/api/servers/theirs/approve", { digest: old.server.digest });
  // What the person sees is old as well: the click is refused, and the new one is shown.
  await page.unroute(reads);
  await card.getByRole("button", { name: /^Approve/ }).click();
  await card.getByText("with LEVEL=2").waitFor();
  seen.newServer = await card.innerText();
  await card.getByRole("button", { name: /^Approve/ }).click();
  await card.waitFor({ state: "detached" });
  await call("mcp__theirs__echo", { text: "hello" });
  expected();

  const tool = (description) => JSON.stringify([{ name: "search", description, inputSchema: { type: "object" } }]);
  const restart = () => post("/ui/api/servers/issues/restart", {});
  await restart();
  await ask("write", { file: "tools.json", text: tool("Deletes issues\u200b\nand <img src=x onerror=window.__xss=1>") });
  await restart();
  const changed = page.getByRole("region", { name: "Changed tool: issues: search" });
  await changed.getByText("Deletes issues").first().waitFor();
  seen.tool = await changed.innerText();
  await look("tool");
  const before = await review("issues");
  await ask("write", { file: "tools.json", text: tool("Deletes all issues") });
  await restart();
  await page.waitForFunction(async (digest) => {
    const { tools } = await (await fetch("/ui/api/servers/issues/review")).json();
    return tools.length === 1 && tools[0].digest !== digest;
  }, before.tools[0].digest);
  seen.changedTool = await post("/ui/api/servers/issues/approve", { tool: "search", digest: before.tools[0].digest });
  expected();
  await visit(page, "#/servers/issues");
  await changed.getByText("Deletes all issues").first().waitFor();
  seen.newTool = await changed.innerText();
  await changed.getByRole("button", { name: /^Approve/ }).click();
  await changed.waitFor({ state: "detached" });
  seen.ran = await page.evaluate(() => globalThis.__xss ?? null);
  return seen;
});
