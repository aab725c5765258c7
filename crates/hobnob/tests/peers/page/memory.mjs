// A memory is changed on the page, its earlier text stays in its history, and a change by another
// client meanwhile is not overwritten.
//
//   node memory.mjs CONFIG

import { barriers, call, enter, open, run, settled, shot, visit } from "./browser.mjs";

await run(async (browser) => {
  const stored = await call("memory_capture", { content: "We release on Fridays.", namespace: "decisions", tags: ["release"] });
  const { id } = stored.structuredContent;
  const page = await enter(await open(browser));
  await visit(page, "#/memory");
  await page.getByRole("button", { name: /We release on Fridays/ }).click();
  const detail = page.getByRole("region", { name: "Memory" });
  await detail.getByRole("button", { name: "Edit" }).click();
  await detail.getByLabel("What it says").fill("We release on Thursdays.");
  await shot(page, "memory-edit");
  const found = await barriers(page);
  await detail.getByRole("button", { name: "Save" }).click();
  await detail.getByRole("button", { name: "Edit" }).waitFor();
  // The page reads what it has saved once more.
  await detail.getByText("We release on Thursdays.").first().waitFor();
  await settled(page);
  const edited = (await call("memory_get", { id })).structuredContent;
  await detail.getByText("captured", { exact: false }).last().click();
  const history = await detail.innerText();
  await shot(page, "memory-edited");

  // An assistant changes it while a person edits it.
  await detail.getByRole("button", { name: "Edit" }).click();
  await detail.getByLabel("What it says").fill("We release on Sundays.");
  await call("memory_update", { id, content: "We release on Mondays." });
  const refusal = detail.getByRole("alert");
  await refusal.waitFor();
  const refused = await refusal.innerText();
  const kept = (await call("memory_get", { id })).structuredContent;
  await shot(page, "memory-conflict");

  // One that an assistant stores appears by itself.
  await visit(page, "#/memory");
  await call("memory_capture", { content: "The office is closed in May.", namespace: "context" });
  await page.getByRole("button", { name: /closed in May/ }).waitFor();
  return { id, edited, history, refused, kept, found };
});
