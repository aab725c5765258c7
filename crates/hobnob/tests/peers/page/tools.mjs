// A person finds tools, calls them from forms, and reads what came of it.
//
//   node tools.mjs CONFIG

import { barriers, call, enter, open, run, settled, shot, visit } from "./browser.mjs";

await run(async (browser) => {
  await call("mcp__faulty__echo", { message: "all servers run" });
  const page = await enter(await open(browser));
  const found = [];
  await visit(page, "#/tools");
  await page.getByRole("searchbox", { name: "Find tools by what they do" }).fill("order an item of the shop");
  await page.getByRole("link", { name: /mcp__shop__order/ }).click();
  await settled(page);
  const form = page.locator("form").filter({ has: page.getByRole("button", { name: "Call", exact: true }) });
  const submit = form.getByRole("button", { name: "Call", exact: true });
  const field = (name) => form.getByLabel(new RegExp(`^${name}\\b`));

  // Without what is required, nothing is sent.
  await submit.click();
  await form.getByRole("alert").waitFor();
  await shot(page, "tool-required");
  await field("item").fill('a "cup" & <saucer>');
  await field("count").fill("3");
  await field("price").fill("2.5");
  await field("gift").selectOption({ label: "yes" });
  await field("size").selectOption({ label: "large" });
  for (const [number, colour] of ["red", "blue"].entries()) {
    await form.getByRole("button", { name: "Add to colours" }).click();
    await form.getByLabel(`colours ${number + 1}`, { exact: true }).fill(colour);
  }
  await field("street").fill("Elm Road");
  await field("number").fill("7");
  found.push(...(await barriers(page)));
  await shot(page, "tool-form");
  await submit.click();
  const answer = page.getByRole("region", { name: "Answer" });
  await answer.getByText("ordered").waitFor();
  const ordered = await answer.innerText();
  await answer.getByRole("tab", { name: "Raw request" }).click();
  await shot(page, "tool-answer");
  found.push(...(await barriers(page)));

  await visit(page, "#/tools/mcp__shop__stock");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await answer.getByRole("table").waitFor();
  const stock = await answer.getByRole("table").innerText();
  await shot(page, "tool-table");

  await visit(page, "#/tools/mcp__shop__picture");
  await page.getByRole("button", { name: "Call", exact: true }).click();
  await answer.locator("img").waitFor();
  await page.waitForFunction(() => document.querySelector(".result-image, main img")?.complete);
  const picture = await answer.locator("img").evaluate((it) => it.naturalWidth);
  return { found, ordered, stock, picture };
});
