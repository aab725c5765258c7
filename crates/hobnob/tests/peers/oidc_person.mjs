// A person at a browser: opens a page, fills in its forms (the login, the consent, the code of
// another device), and prints where they end. The answer of a login is printed and not opened, unless
// the second word is `open`.

const [page, code] = process.argv.slice(2);
const origin = new URL(page).origin;
const jar = new Map();

async function open(url, form) {
  const headers = { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') };
  const body = form && new URLSearchParams(form);
  const method = form ? 'POST' : 'GET';
  const response = await fetch(url, { method, headers, body, redirect: 'manual' });
  for (const cookie of response.headers.getSetCookie()) {
    const [pair] = cookie.split(';');
    const at = pair.indexOf('=');
    if (pair.slice(at + 1)) jar.set(pair.slice(0, at), pair.slice(at + 1));
    else jar.delete(pair.slice(0, at));
  }
  return response;
}

const typed = { login: 'ada', password: 'anything', user_code: code };
let [url, form] = [page, undefined];
for (let step = 0; step < 30; step += 1) {
  const response = await open(url, form);
  form = undefined;
  if (300 <= response.status && response.status < 400) {
    url = new URL(response.headers.get('location'), url).href;
    if (new URL(url).origin !== origin) {
      if (code === 'open') await fetch(url);
      console.log(JSON.stringify({ answer: url }));
      process.exit(0);
    }
    continue;
  }
  const text = await response.text();
  const found = text.match(/<form[^>]*method="post"[^>]*>[\s\S]*?<\/form>/i);
  if (!found) {
    console.log(JSON.stringify({ page: text.replace(/<style[\s\S]*?<\/style>|<[^>]*>/g, ' ') }));
    process.exit(response.ok ? 0 : 1);
  }
  const action = found[0].match(/action="([^"]*)"/)?.[1] ?? url;
  form = {};
  for (const [input] of found[0].matchAll(/<(?:input|button)[^>]*>/g)) {
    const name = input.match(/name="([^"]*)"/)?.[1];
    const value = input.match(/value="([^"]*)"/)?.[1];
    if (!name || name === 'abort') continue;
    form[name] = value || typed[name] || '';
  }
  url = new URL(action.replaceAll('&amp;', '&'), url).href;
}
throw new Error('the forms have no end');
