// A server, a client, a memory, a task and a tree say what would be markup or scripts in a page that
// took it for such. The page shows all of it as text.
//
//   node hostile.mjs CONFIG

import { call, config, enter, mcp, open, parts, run, settled, shot, visit } from "./browser.mjs";

const MARKUP = '<img src=x onerror="window.__xss=1"><script>window.__xss=1</script>';
const TOOLS = ["results", "fails", "refuses", "logs"];

await run(async (browser) => {
  await prepare();
  const page = await enter(await open(browser));
  await page.getByRole("table", { name: "Ended calls" }).waitFor();
  const found = [];
  const texts = {};
  const look = async (name) => {
    await settled(page);
    found.push(...(await page.evaluate(inspect)).map((line) => `${name}: ${line}`));
    texts[name] = await page.innerText("main");
    await shot(page, `hostile-${name}`);
  };
  for (const part of await parts(page)) {
    await visit(page, part);
    await look(part.replaceAll(/\W/g, ""));
  }
  await visit(page, "#/now");
  await page.getByRole("table", { name: "Ended calls" }).getByRole("button").first().click();
  await look("call");
  await page.keyboard.press("Escape");
  await visit(page, "#/servers/hostile");
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    await look(`server-${(await tab.innerText()).replaceAll(/\W/g, "")}`);
  }
  await visit(page, `#/servers/${encodeURIComponent(MARKUP)}`);
  await look("unknown-server");
  await page.goto(`${new URL(config.mcp).origin}/ui#/${encodeURIComponent(MARKUP)}`);
  await look("unknown-part");
  for (const kind of ["memory", "tasks", "trees"]) {
    await visit(page, `#/${kind}`);
    const entries = await page.locator("main").getByRole("button").filter({ hasText: "HOSTILE" }).all();
    if (entries[0]) {
      await entries[0].click();
      await look(`${kind}-opened`);
    } else {
      found.push(`${kind}: nothing to open`);
    }
  }
  await eachTool(page, look);
  return { found, texts, ran: await page.evaluate(() => globalThis.__xss ?? null) };
});

/** Opens every tool of the server as a form, calls it, and looks at what came of it. */
async function eachTool(page, look) {
  await visit(page, "#/tools");
  await page.getByRole("searchbox").fill("hostile results");
  await page.getByRole("link", { name: /mcp__hostile__results/ }).waitFor();
  await look("tools-found");
  for (const name of [...TOOLS, "constructor", "then"]) {
    await visit(page, `#/tools/mcp__hostile__${name}`);
    await look(`tool-${name}`);
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("region", { name: "Answer" }).waitFor();
    await look(`result-${name}`);
  }
}

/** Everything in the page now that only hostile text could have brought there. */
function inspect() {
  const found = [];
  const all = [...document.querySelectorAll("*")];
  for (const it of all) {
    for (const { name, value } of it.attributes) {
      if (name.startsWith("on")) found.push(`attribute ${name}=${value}`);
      if (["srcdoc", "action", "formaction", "style"].includes(name) && value.includes("__xss")) found.push(`attribute ${name}`);
    }
  }
  const scripts = document.querySelectorAll("script").length;
  if (scripts !== 1) found.push(`${scripts} scripts`);
  for (const it of document.querySelectorAll("iframe, object, embed, base, meta[http-equiv], audio, video, form[action], foreignObject")) {
    found.push(`element ${it.outerHTML.slice(0, 100)}`);
  }
  for (const it of document.querySelectorAll("img, image, source, use")) {
    const source = it.getAttribute("src") ?? it.getAttribute("href") ?? "";
    if (source !== "/ui/icon.svg" && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(source)) found.push(`image ${source.slice(0, 100)}`);
  }
  for (const it of document.querySelectorAll("a")) {
    const { protocol, origin } = new URL(it.href, location.href);
    if (!["http:", "https:"].includes(protocol)) found.push(`link ${it.href.slice(0, 100)}`);
    if (origin !== location.origin && (it.target !== "_blank" || !it.rel.includes("noopener"))) found.push(`link without noopener ${it.href.slice(0, 100)}`);
  }
  if (globalThis.__xss !== undefined) found.push("a script ran");
  return found;
}

/** Hostile words wherever a client or a model may leave some. */
async function prepare() {
  const words = `HOSTILE ${MARKUP} javascript:window.__xss=1`;
  for (const tool of TOOLS) {
    await mcp("tools/call", { name: `mcp__hostile__${tool}`, arguments: { [MARKUP]: MARKUP } }, { client: MARKUP });
  }
  await mcp("tools/call", { name: MARKUP, arguments: {} }, { client: MARKUP });
  await mcp("resources/read", { uri: "javascript:window.__xss=1" }, { client: MARKUP });
  await call("memory_capture", { content: words, namespace: "decisions", tags: ["hostile"], source: words });
  const task = await call("tasks_create", { description: words });
  await call("tasks_create", { description: words, blockers: [task.structuredContent.id] });
  await call("arbor_tree_create", { name: "hostile", content: words, metadata: { [MARKUP]: words } });
  await call("arbor_node_create_text", { tree_id: "hostile", content: words });
}
