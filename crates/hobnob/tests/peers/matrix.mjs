// Goes through the matrix's plan with one of the official TypeScript clients.
//
//   node matrix.mjs sdk|client PLAN stdio COMMAND ARGS…
//   node matrix.mjs sdk|client PLAN http URL
//
// PLAN is a file: a list of steps. Prints one line of JSON per step: what was seen. PEER_HOME is
// the folder the package is installed in; `client` gets the option to speak the modern era and no other.

import { readFileSync } from "node:fs";

import { exportsOf, newClient, wireTo } from "./library.mjs";

const [library, plan, transport, target, ...args] = process.argv.slice(2);
const modern = library === "client";
const types = exportsOf(library);

const PATIENCE = 60_000;
// How long an update may take before the resource is touched once more.
const MOMENT = 500;

const capabilities = { roots: {}, sampling: {}, elicitation: { form: {} } };
const client = newClient(types, `matrix-${library}`, "modern", capabilities);
const kind = (schema, method) => (modern ? method : types[schema]);
client.setRequestHandler(kind("ElicitRequestSchema", "elicitation/create"), async () => ({
  action: "accept",
  content: { name: "Ada" },
}));
client.setRequestHandler(kind("CreateMessageRequestSchema", "sampling/createMessage"), async () => ({
  role: "assistant",
  model: "abacus",
  content: { type: "text", text: "forty-two" },
}));
client.setRequestHandler(kind("ListRootsRequestSchema", "roots/list"), async () => ({
  roots: [{ uri: "file:///home" }],
}));
const watchers = new Map();
client.setNotificationHandler(
  kind("ResourceUpdatedNotificationSchema", "notifications/resources/updated"),
  (note) => watchers.get(note.params.uri)?.(),
);

const call = (params, options) =>
  modern
    ? client.callTool(params, { timeout: PATIENCE, ...options })
    : client.callTool(params, undefined, { timeout: PATIENCE, ...options });
const texts = (parts) => parts.map((part) => part.text ?? `[${part.type}]`).join("\n");

async function tools() {
  const names = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? undefined : { cursor });
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

// Opens a subscription in the era's own way; returns how it is closed.
async function subscribe(uri) {
  if (modern) {
    const open = await client.listen({ resourceSubscriptions: [uri] });
    return () => open.close();
  }
  await client.subscribeResource({ uri });
  return () => client.unsubscribeResource({ uri });
}

async function watch({ uri, name, arguments: given }) {
  const updated = Promise.withResolvers();
  watchers.set(uri, () => updated.resolve("updated"));
  const close = await subscribe(uri);
  const end = Date.now() + PATIENCE;
  let seen;
  for (let attempt = 1; seen === undefined && Date.now() < end; attempt += 1) {
    const filled = JSON.stringify(given).replaceAll("{attempt}", attempt);
    await call({ name, arguments: JSON.parse(filled) });
    const moment = Promise.withResolvers();
    const timer = setTimeout(moment.resolve, MOMENT);
    seen = await Promise.race([updated.promise, moment.promise]);
    clearTimeout(timer);
  }
  await close();
  return seen ?? "nothing";
}

// Begins a call, takes it back as soon as it is known to run.
async function cancel({ name, arguments: given }) {
  const stop = new AbortController();
  const options = { signal: stop.signal, onprogress: () => stop.abort("enough") };
  try {
    return `finished: ${texts((await call({ name, arguments: given }, options)).content)}`;
  } catch (error) {
    if (stop.signal.aborted) return "cancelled";
    throw error;
  }
}

const acts = {
  revision: async () => client.getNegotiatedProtocolVersion?.() ?? wire.revision,
  list: async ({ prefix }) =>
    String((await tools()).filter((name) => name.startsWith(prefix)).length),
  call: async ({ name, arguments: given }) => {
    const result = await call({ name, arguments: given });
    return `${result.isError ? "failed: " : ""}${texts(result.content)}`;
  },
  read: async ({ uri }) => {
    const { contents } = await client.readResource({ uri });
    return contents.map((part) => `${part.uri} ${part.text}`).join("\n");
  },
  watch,
  cancel,
  prompt: async ({ name, arguments: given }) => {
    const { messages } = await client.getPrompt({ name, arguments: given });
    return texts(messages.map((message) => message.content));
  },
  complete: async ({ name, argument, value }) => {
    const ref = { type: "ref/prompt", name };
    const { completion } = await client.complete({ ref, argument: { name: argument, value } });
    return completion.values.join(",");
  },
};

const wire = wireTo(types, transport, target, args, { stderr: "inherit", env: process.env });
await client.connect(wire);
for (const step of JSON.parse(readFileSync(plan, "utf8"))) {
  const saw = await acts[step.act](step).catch((error) => `error: ${error.message}`);
  console.log(JSON.stringify({ server: step.server, what: step.what, saw }));
}
await client.close();
