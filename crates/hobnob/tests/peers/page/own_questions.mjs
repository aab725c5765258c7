// Calls of the owner's own clients wait for an answer: in their forms and on the page at once, and only
// on the page where a client shows no forms. The first answer counts, and the other place stops asking.
//
//   node own_questions.mjs CONFIG

import { ask, barriers, call, config, enter, NARROW, open, overflow, run, shot, textOf, visit, WIDE } from "./browser.mjs";

const TOOL = "mcp__shop__stock";

/** A client of 2025-11-25 that shows forms: answers `initialize`, then makes one call at a time. */
async function legacyClient(name) {
  const head = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (body) => fetch(config.mcp, { method: "POST", headers: head, body: JSON.stringify({ jsonrpc: "2.0", ...body }) });
  const capabilities = { elicitation: {} };
  const hello = await post({
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities, clientInfo: { name, version: "1" } },
  });
  head["mcp-session-id"] = hello.headers.get("mcp-session-id");
  head["mcp-protocol-version"] = "2025-11-25";
  await hello.text();
  await (await post({ method: "notifications/initialized" })).text();
  return {
    post,
    /** The messages of a call, as they come. */
    async *call(id, args) {
      const answer = await post({ id, method: "tools/call", params: { name: TOOL, arguments: args } });
      let rest = "";
      for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
        rest += piece;
        const lines = rest.split("\n");
        rest = lines.pop();
        for (const line of lines) if (line.startsWith("data:") && line.length > 6) yield JSON.parse(line.slice("data:".length));
      }
      if (rest.startsWith("{")) yield JSON.parse(rest);
    },
  };
}

/** The next message that has `member`. */
async function next(messages, member) {
  for (;;) {
    const { value, done } = await messages.next();
    if (done) throw new Error(`no message with ${member}`);
    if (value[member] !== undefined) return value;
  }
}

const attempt = async (args) => textOf(await call(TOOL, args, { client: "a <b>script</b>", fails: true }));

await run(async (browser) => {
  await ask("command", { words: ["ask", "shop/stock"] });
  await ask("command", { words: ["tools"] });
  const context = await open(browser);
  const page = await enter(context);
  await visit(page, "#/waiting");

  // Without forms: the call ends, and waits here.
  const waited = await attempt({ kind: "script" });
  const first = page.locator("section.question").filter({ hasText: "a <b>script</b>" });
  await first.waitFor();
  const shown = await first.innerText();
  const found = await barriers(page);
  await shot(page, "waiting-own-question");
  await page.setViewportSize(NARROW);
  await shot(page, "waiting-own-question-narrow");
  const wider = await overflow(page);
  await page.emulateMedia({ colorScheme: "dark" });
  found.push(...(await barriers(page)));
  await shot(page, "waiting-own-question-narrow-dark");
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(WIDE);

  // With a form: the page answers first, and the call goes on.
  const client = await legacyClient("an editor");
  const card = page.locator("section.question").filter({ hasText: "an editor" });
  let messages = client.call(2, { kind: "form" });
  const form = await next(messages, "method");
  await card.waitFor();
  const beside = await card.innerText();
  await card.getByRole("button", { name: /^Yes, run it once/ }).click();
  const cancelled = await next(messages, "method");
  const ran = textOf((await next(messages, "result")).result);
  await card.waitFor({ state: "detached" });

  // The client answers first: the question disappears from the page.
  messages = client.call(3, { kind: "form" });
  const second = await next(messages, "method");
  await card.waitFor();
  await (await client.post({ id: second.id, result: { action: "accept", content: { answer: "no" } } })).text();
  const refused = textOf((await next(messages, "result")).result);
  await card.waitFor({ state: "detached" });

  // Always: this call once more, and every later one by the rule.
  await first.getByRole("button", { name: /^Always allow this tool/ }).click();
  await first.getByText("Answered: always").waitFor();
  const rules = await ask("command", { words: ["rules"] });
  const again = await attempt({ kind: "script" });
  return {
    shown, waited, found, wider, beside, ran, refused, again, rules,
    form: form.method, cancelled: [cancelled.method, cancelled.params.requestId === form.id],
  };
});
