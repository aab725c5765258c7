// Lends a model to the memory service, or none, with one of the official TypeScript clients.
//
//   node memory.mjs sdk|client legacy|modern model|none PREFIX stdio COMMAND ARGS…
//   node memory.mjs sdk|client legacy|modern model|none PREFIX http URL
//
// PREFIX begins the names of the tools. PEER_HOME is the folder the package is installed in.
// Prints one line of JSON: what each step gave, and what the model was asked.

import { exportsOf, newClient, wireTo } from "./library.mjs";

const [library, era, model, prefix, transport, target, ...args] = process.argv.slice(2);
const types = exportsOf(library);
const capabilities = model === "model" ? { sampling: {} } : {};
const client = newClient(types, `memory-${library}`, era, capabilities);

const questions = [];
function answer({ params }) {
  const [message] = params.messages;
  const part = Array.isArray(message.content) ? message.content[0] : message.content;
  questions.push(part.text);
  const text = part.text.startsWith("Merge")
    ? "The nightly backup runs at three and keeps seven or fourteen days."
    : '{"tags": ["database", "storage"], "context": "Where everything is kept."}';
  return { role: "assistant", model: "abacus", content: { type: "text", text } };
}
if (model === "model") {
  const kind =
    library === "client" ? "sampling/createMessage" : types.CreateMessageRequestSchema;
  client.setRequestHandler(kind, async (request) => answer(request));
}

async function call(tool, given) {
  try {
    const { isError, content } = await client.callTool({
      name: `${prefix}_${tool}`,
      arguments: given,
    });
    return isError ? { failed: content[0].text } : JSON.parse(content[0].text);
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

const wire = wireTo(types, transport, target, args, { stderr: "inherit", env: process.env });
await client.connect(wire);

const capture = (namespace, content) => call("capture", { namespace, content });
const { id } = await capture("decisions", "Use PostgreSQL for the storage layer");
const backup = "The nightly backup runs at three in the morning and keeps";
const old = [
  (await capture("config", `${backup} seven days`)).id,
  (await capture("config", `${backup} fourteen days`)).id,
];
const enriched = await call("enrich", { id });
const consolidated = await call("consolidate", { namespaces: ["config"] });
const merged = consolidated.groups?.[0]?.id;
console.log(
  JSON.stringify({
    revision: client.getNegotiatedProtocolVersion?.() ?? wire.revision,
    questions,
    enriched,
    labelled: await call("get", { id }),
    consolidated,
    merged: merged && (await call("get", { id: merged })),
    old: [await call("get", { id: old[0] }), await call("get", { id: old[1] })],
  }),
);
await client.close();
