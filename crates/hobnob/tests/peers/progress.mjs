// Calls a tool that waits for this client's reaction to its first progress.
//
//   node progress.mjs sdk legacy stdio FIFO COMMAND ARGS…
//   node progress.mjs client legacy|modern http FIFO URL
//
// If a hub holds progress back until the call ends, this waits for ever: the command that the tool runs
// ends only once something was written to FIFO. Prints one line of JSON: what was seen.

import { writeFileSync } from "node:fs";

import { exportsOf, newClient, wireTo } from "./library.mjs";

const [library, era, transport, fifo, target, ...args] = process.argv.slice(2);
const exported = exportsOf(library);
const client = newClient(exported, `progress-${library}`, era);
await client.connect(wireTo(exported, transport, target, args, { stderr: "ignore", env: process.env }));
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
