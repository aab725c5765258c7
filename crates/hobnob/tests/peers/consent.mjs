// Goes through the page of a login in a real browser, as a person would and as an attacker might.
//
//   node consent.mjs CHROMIUM PUBLIC-URL LISTENER USER PASSWORD [KEY CERTIFICATE]
//
// PEER_HOME is the folder that playwright-core is installed in. LISTENER is where the hub answers. With a
// key and a certificate, the public URL is served here over TLS and handed on to the hub.
// Prints one line of JSON: what was seen.

import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import { createRequire } from "node:module";

import { serveTls } from "./tls_proxy.mjs";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const { chromium } = require("playwright-core");
const [program, publicUrl, listener, user, password, key, certificate] = process.argv.slice(2);
const hub = new URL(listener);

if (key) await serveTls(publicUrl, listener, key, certificate);

// The client that asked for the login, and pages of an attacker, on another site than the hub.
const calls = [];
let attack = "";
const client = http.createServer((request, answer) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname === "/callback") {
    const { referer = null, cookie = null } = request.headers;
    calls.push({ ...Object.fromEntries(searchParams), referer, cookie });
  }
  answer.writeHead(200, { "content-type": "text/html" });
  answer.end(pathname === "/attack" ? attack : "<title>done</title>");
});
await new Promise((ready) => client.listen(0, "127.0.0.1", ready));
const port = client.address().port;
const redirect = `http://127.0.0.1:${port}/callback`;

const post = (path, type, body) =>
  fetch(new URL(path, hub), {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
const registered = await post(
  "/oauth/register",
  "application/json",
  JSON.stringify({
    client_name: "<img src=x onerror='window.pwned=1'><script>window.pwned=1</script>Lying",
    redirect_uris: [redirect],
    token_endpoint_auth_method: "none",
  }),
);
const { client_id } = await registered.json();
const verifier = randomBytes(32).toString("base64url");
const challenge = createHash("sha256").update(verifier).digest("base64url");
const loginPage = (state) =>
  `${publicUrl}/oauth/authorize?` +
  new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirect,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
  });

const browser = await chromium.launch({
  executablePath: program,
  args: ["--no-sandbox", `--host-resolver-rules=MAP ${new URL(publicUrl).hostname} 127.0.0.1`],
});
const context = await browser.newContext({ ignoreHTTPSErrors: true });
const page = await context.newPage();
const errors = [];
page.on("pageerror", (error) => errors.push(String(error)));
page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
const taken = () => errors.splice(0);
const called = () => calls.splice(0);
const seen = { https: Boolean(key) };

// What the page says.
await page.goto(loginPage("state-1"));
seen.title = await page.title();
seen.facts = await page.$$eval("dl > dt", (terms) =>
  Object.fromEntries(terms.map((term) => [term.textContent, term.nextElementSibling.textContent])),
);
seen.scopes = await page.$$eval("ul > li > code", (all) => all.map((it) => it.textContent));
seen.warnings = await page.$$eval(".warning", (all) => all.map((it) => it.textContent));
seen.elements = await page.$$eval("script, img, iframe", (all) => all.length);
seen.pwned = await page.evaluate(() => window.pwned ?? null);
seen.styled = await page.$eval("main", (it) => getComputedStyle(it).maxWidth);
// The look in light and in dark, and the width of a phone.
const colours = () =>
  page.$eval("body", (it) => [getComputedStyle(it).color, getComputedStyle(it).backgroundColor]);
seen.light = await colours();
await page.emulateMedia({ colorScheme: "dark" });
seen.dark = await colours();
await page.emulateMedia({ colorScheme: "light" });
await page.setViewportSize({ width: 390, height: 800 });
seen.overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
await page.setViewportSize({ width: 1280, height: 800 });
seen.unlabelled = await page.$$eval("input:not([type=hidden])", (all) =>
  all.filter((it) => it.labels.length === 0).map((it) => it.name),
);
seen.landmarks = await page.$$eval("main > h1", (all) => all.length);
seen.redirect = redirect;

// A wrong password, then the right one.
const fill = async (secret) => {
  await page.fill("#user", user);
  await page.fill("#password", secret);
  await page.click("button[value=allow]");
};
await fill("not the password");
const complaint = page.getByText("password is wrong");
await complaint.waitFor();
seen.wrong = { warning: await complaint.textContent(), calls: called() };
// A refused form is answered with 403, which the console of the browser tells as an error.
seen.refusals = taken();
await fill(password);
await page.waitForURL(`${redirect}?*`);
seen.allowed = called();
seen.cookies = (await context.cookies()).map(({ name, domain, path, httpOnly, secure, sameSite }) => ({
  name,
  domain,
  path,
  httpOnly,
  secure,
  sameSite,
}));
const form = new URLSearchParams({
  grant_type: "authorization_code",
  client_id,
  code: seen.allowed[0].code,
  redirect_uri: redirect,
  code_verifier: verifier,
});
const token = await post("/oauth/token", "application/x-www-form-urlencoded", form);
seen.token = { status: token.status, type: (await token.json()).token_type };

// Again: the page comes all the same, with or without a need for the password.
await page.goto(loginPage("state-2"));
seen.again = { text: await page.textContent("body"), calls: called() };
if (seen.https) {
  await page.click("button[value=allow] >> nth=0");
  await page.waitForURL(`${redirect}?*`);
  seen.remembered = called();
}

// The other button.
await page.goto(loginPage("state-3"));
await page.click("button[value=deny] >> nth=0");
await page.waitForURL(`${redirect}?*`);
seen.denied = called();
seen.errors = taken();

// Another site shows the page in a frame.
await page.goto(loginPage("state-4"));
const hidden = await page.$$eval("form:first-of-type input[type=hidden]", (all) =>
  Object.fromEntries(all.map((it) => [it.name, it.value])),
);
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
attack = `<iframe src="${escaped(loginPage("state-5"))}"></iframe>`;
await page.goto(`http://localhost:${port}/attack`);
await page.waitForLoadState("networkidle");
const frame = page.frames().find((it) => it !== page.mainFrame());
seen.framed = { forms: await frame.locator("form").count(), errors: taken() };

// Another site sends the form, with everything that it must have.
const fields = { ...hidden, decision: "allow", user, password };
const inputs = Object.entries(fields).map(
  ([name, value]) => `<input name="${name}" value="${escaped(value)}">`,
);
attack = `<form method="post" action="${publicUrl}/oauth/authorize">${inputs.join("")}</form>`;
await page.goto(`http://localhost:${port}/attack`);
const [answer] = await Promise.all([
  page.waitForResponse((it) => it.url() === `${publicUrl}/oauth/authorize`),
  page.evaluate(() => document.forms[0].submit()),
]);
seen.forged = { status: answer.status(), calls: called() };

await browser.close();
console.log(JSON.stringify(seen));
process.exit(0);
