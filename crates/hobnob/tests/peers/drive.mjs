// Drives a server with one of the official TypeScript clients.
//
//   node drive.mjs sdk legacy stdio COMMAND ARGS…
//   node drive.mjs client legacy|modern http URL
//
// `sdk` is the 1.x package that most hosts embed, `client` its successor that speaks both eras.
// PEER_HOME is the folder the package is installed in. Prints one line of JSON: what was seen.

import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const [library, era, transport, target, ...args] = process.argv.slice(2);
const { Client, StdioClientTransport, StreamableHTTPClientTransport } =
  library === "sdk"
    ? {
        ...require("@modelcontextprotocol/sdk/client/index.js"),
        ...require("@modelcontextprotocol/sdk/client/stdio.js"),
        ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
      }
    : {
        ...require("@modelcontextprotocol/client"),
        ...require("@modelcontextprotocol/client/stdio"),
      };

const wire =
  transport === "stdio"
    ? new StdioClientTransport({ command: target, args, stderr: "ignore" })
    : new StreamableHTTPClientTransport(new URL(target));
// The 1.x client tells the negotiated revision to its transport and to nobody else.
let revision;
const tell = wire.setProtocolVersion;
wire.setProtocolVersion = (version) => {
  revision = version;
  tell?.call(wire, version);
};

const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
const client = new Client(
  { name: `interop-${library}`, version: "1" },
  { versionNegotiation: { mode } },
);
await client.connect(wire);
// The modern era has no ping.
if (era === "legacy") await client.ping();
const { tools } = await client.listTools();
const result = await client.callTool({ name: "health_check", arguments: {} });
console.log(
  JSON.stringify({
    revision: client.getNegotiatedProtocolVersion?.() ?? revision,
    ping: era === "legacy",
    tools: tools.map((tool) => tool.name),
    result,
  }),
);
await client.close();
