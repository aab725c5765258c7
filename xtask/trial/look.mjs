// Connects an official TypeScript client with its own patience, and lists the tools once.
//
//   node look.mjs sdk|client COMMAND ARGS…
//
// PEER_HOME is the folder the package is installed in. Prints one line of JSON: names and seconds.

import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const [library, command, ...args] = process.argv.slice(2);
const { Client, StdioClientTransport } =
  library === "sdk"
    ? {
        ...require("@modelcontextprotocol/sdk/client/index.js"),
        ...require("@modelcontextprotocol/sdk/client/stdio.js"),
      }
    : {
        ...require("@modelcontextprotocol/client"),
        ...require("@modelcontextprotocol/client/stdio"),
      };

const begun = performance.now();
const seconds = () => (performance.now() - begun) / 1000;
const client = new Client({ name: `look-${library}`, version: "1" });
// By itself the client hands only PATH, HOME and the like on.
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
const connected = seconds();
const { tools } = await client.listTools();
const listed = seconds();
console.log(JSON.stringify({ connected, listed, tools: tools.map((tool) => tool.name) }));
await client.close();
