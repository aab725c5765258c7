// Calls a tool that waits for this client's reaction to its first progress.
//
//   node progress.mjs sdk legacy stdio FIFO COMMAND ARGS…
//   node progress.mjs client legacy|modern http FIFO URL
//
// Whoever holds progress back until the call ends waits for ever: the command that the tool runs
// ends only once something was written to FIFO. Prints one line of JSON: what was seen.

import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);
const [library, era, transport, fifo, target, ...args] = process.argv.slice(2);
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
    ? new StdioClientTransport({ command: target, args, stderr: "ignore", env: process.env })
    : new StreamableHTTPClientTransport(new URL(target));
const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
const client = new Client(
  { name: `progress-${library}`, version: "1" },
  { versionNegotiation: { mode } },
);
await client.connect(wire);
const progress = [];
const onprogress = (note) => {
  progress.push([note.progress, note.message ?? null]);
  // The first output, which is not the start of the stream.
  if (note.message?.includes("one")) writeFileSync(fifo, "go\n");
};
const call = {
  name: "shell_run",
  arguments: { command: "echo one; read word < gate; echo $word" },
};
const result =
  library === "sdk"
    ? await client.callTool(call, undefined, { onprogress })
    : await client.callTool(call, { onprogress });
console.log(JSON.stringify({ progress, output: result.structuredContent.stdout }));
await client.close();
