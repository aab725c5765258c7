// Logs in to a server with one of the official TypeScript clients, and calls a tool.
//
//   node login.mjs sdk|client URL USER PASSWORD
//
// PEER_HOME is the folder the package is installed in. The person who fills in the page is here too.
// Prints one line of JSON: what was seen.

import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const [library, url, user, password] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } =
  library === "sdk"
    ? {
        ...require("@modelcontextprotocol/sdk/client/index.js"),
        ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      }
    : require("@modelcontextprotocol/client");

// Opens the page, agrees with the password, and returns where that leads.
async function agree(page) {
  const text = await (await fetch(page)).text();
  const field = (name) => text.match(new RegExp(`name="${name}" value="([^"]*)"`))[1];
  const form = new URLSearchParams({
    request: field("request"),
    form_token: field("form_token"),
    decision: "allow",
    user,
    password,
  });
  const target = new URL("/oauth/authorize", page);
  const answer = await fetch(target, { method: "POST", body: form, redirect: "manual" });
  return new URL(answer.headers.get("location"));
}

const kept = {};
let answer;
let logins = 0;
const provider = {
  redirectUrl: "http://127.0.0.1:9/callback",
  clientMetadata: {
    client_name: `login-${library}`,
    redirect_uris: ["http://127.0.0.1:9/callback"],
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
  },
  state: () => "state-1",
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  saveDiscoveryState: (state) => void (kept.discovery = state),
  discoveryState: () => kept.discovery,
  redirectToAuthorization: async (page) => {
    logins += 1;
    answer = await agree(page);
  },
};

const wire = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
const client = () => new Client({ name: `login-${library}`, version: "1" });

const first = wire();
let refused = false;
await client()
  .connect(first)
  .catch(() => (refused = true));
const { searchParams } = answer;
// The newer client checks the issuer in the answer too.
await first.finishAuth(library === "sdk" ? searchParams.get("code") : searchParams);
const second = client();
await second.connect(wire());
const { tools } = await second.listTools();
await second.close();
// Another process of the same user, later: the access token is gone, the refresh token is not.
const before = kept.tokens.refresh_token;
kept.tokens = { ...kept.tokens, access_token: "gone" };
const third = client();
await third.connect(wire());
const result = await third.callTool({ name: "health_check", arguments: {} });
await third.close();
console.log(
  JSON.stringify({
    refused,
    logins,
    state: searchParams.get("state"),
    iss: searchParams.get("iss"),
    tools: tools.map((tool) => tool.name),
    rotated: kept.tokens.refresh_token !== before,
    result,
  }),
);
