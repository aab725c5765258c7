// Drives a server with one of the official TypeScript clients.
//
//   node drive.mjs sdk legacy stdio COMMAND ARGS…
//   node drive.mjs client legacy|modern http URL
//
// `sdk` is the 1.x package that most hosts embed, `client` its successor that speaks both eras.
// PEER_HOME is the folder the package is installed in. Prints one line of JSON: what was seen.

import { exportsOf, newClient, wireTo } from "./library.mjs";

const [library, era, transport, target, ...args] = process.argv.slice(2);
const exported = exportsOf(library);
const wire = wireTo(exported, transport, target, args, { stderr: "ignore" });
const client = newClient(exported, `interop-${library}`, era);
await client.connect(wire);
// The modern era has no ping.
if (era === "legacy") await client.ping();
const { tools } = await client.listTools();
const result = await client.callTool({ name: "health_check", arguments: {} });
console.log(
  JSON.stringify({
    revision: client.getNegotiatedProtocolVersion?.() ?? wire.revision,
    ping: era === "legacy",
    tools: tools.map((tool) => tool.name),
    result,
  }),
);
await client.close();
