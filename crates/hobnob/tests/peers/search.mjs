// Finds, describes and calls tools of a long list with one of the official TypeScript clients.
//
//   node search.mjs sdk legacy stdio PLAN COMMAND ARGS…
//   node search.mjs client legacy|modern http PLAN URL
//
// PLAN is JSON: the `query` to find a tool by, and `calls`, names of tools that are called without
// arguments, directly and through call_tool. PEER_HOME is the folder the package is installed in.
// Prints one line of JSON: what was seen.

import { exportsOf, newClient, wireTo } from "./library.mjs";

const [library, era, transport, plan, target, ...args] = process.argv.slice(2);
const { query, calls } = JSON.parse(plan);
const exported = exportsOf(library);
const client = newClient(exported, `search-${library}`, era);
await client.connect(wireTo(exported, transport, target, args, { stderr: "ignore", env: process.env }));
const call = (name, given) => client.callTool({ name, arguments: given });
// Protocol errors are thrown, and compared like results.
const outcome = (name, given) =>
  call(name, given).catch((error) => ({ code: error.code, message: error.message }));

const { tools } = await client.listTools();
const found = JSON.parse((await call("find_tools", { query })).content[0].text);
const described = JSON.parse(
  (await call("describe_tools", { names: [found[0].name] })).content[0].text,
);
const result = await call("call_tool", { name: found[0].name, arguments: {} });
const pairs = [];
for (const name of calls) {
  pairs.push([name, await outcome(name, {}), await outcome("call_tool", { name, arguments: {} })]);
}
console.log(
  JSON.stringify({ tools: tools.map((tool) => tool.name), found, described, result, pairs }),
);
await client.close();
