// Whether the other scripts would notice: a page that does everything wrong is noted for all of it.
//
//   node watch.mjs CONFIG

import { barriers, config, expected, open, overflow, run } from "./browser.mjs";

const SCRIPT = `
  console.error("an error");
  fetch("http://127.0.0.1:9/elsewhere").catch(() => {});
  setTimeout(() => { throw new Error("thrown"); });
  setTimeout(() => alert("a dialog"));
`;
const BODY = '<p style="color:#999;background:#aaa">hard to read</p><img src="data:,"><div style="width:9000px">wide</div>';

await run(async (browser) => {
  const context = await open(browser);
  const page = await context.newPage();
  const site = new URL(config.mcp).origin;
  const html = (body) => `<!doctype html><title>wrong</title>${body}`;
  await page.route(`${site}/wrong`, (route) => route.fulfill({ contentType: "text/html", body: html(`${BODY}<script>${SCRIPT}</script>`) }));
  await page.route(`${site}/forbidden`, (route) =>
    route.fulfill({
      contentType: "text/html",
      headers: { "content-security-policy": "default-src 'none'" },
      body: html("<script>window.__xss=1</script>"),
    }),
  );
  const dialog = page.waitForEvent("dialog");
  const error = page.waitForEvent("pageerror");
  await page.goto(`${site}/wrong`);
  await Promise.all([dialog, error]);
  const found = await barriers(page);
  const wide = await overflow(page);
  const policy = page.waitForEvent("console", (it) => it.text().startsWith("CSP "));
  await page.goto(`${site}/forbidden`);
  await policy;
  return { found, wide, seen: expected() };
});
