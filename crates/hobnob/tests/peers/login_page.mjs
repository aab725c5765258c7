// Visits the page on which a principal of a hub logs in to a server, in a real browser.
//
//   node login_page.mjs CHROMIUM PAGE LISTENER TOKEN KEY CERTIFICATE
//
// PEER_HOME is the folder that playwright-core is installed in. The origin of the page is served here over
// TLS and handed on to the hub. Prints one line of JSON: what was seen.

import { createRequire } from "node:module";

import { serveTls } from "./tls_proxy.mjs";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const { chromium } = require("playwright-core");
const [program, address, listener, token, key, certificate] = process.argv.slice(2);
const { origin, hostname } = new URL(address);
await serveTls(origin, listener, key, certificate);

const browser = await chromium.launch({
  executablePath: program,
  args: ["--no-sandbox", `--host-resolver-rules=MAP ${hostname} 127.0.0.1`],
});
const context = await browser.newContext({ ignoreHTTPSErrors: true });
const page = await context.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
const seen = {};

await page.goto(address);
seen.asked = await page.textContent("body");
seen.elements = await page.$$eval("script, img, iframe", (all) => all.length);

// A wrong proof, then the right one. It is answered with 403, which the console tells as an error.
const prove = async (proof) => {
  await page.fill("#proof", proof);
  await page.click("button");
};
const refused = page.waitForResponse((it) => it.status() === 403);
await prove("not the token");
await refused;
await page.waitForSelector("#proof");
seen.wrong = { text: await page.textContent("body"), errors: errors.splice(0) };

// The page leads to the authorization server, which leads back with this browser's cookie.
await prove(token);
const done = page.getByText("Your answer has arrived");
await done.waitFor();
seen.done = { text: await done.textContent(), origin: new URL(page.url()).origin };
seen.errors = errors;
await browser.close();
console.log(JSON.stringify(seen));
process.exit(0);
