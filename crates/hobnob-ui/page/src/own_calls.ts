// Which calls are reads of this page itself, such as its searches and its lists of memories.
//
// Now leaves them out at first. A client chooses its name itself, so what could matter always stays:
// calls of servers, and calls that did not end well, whatever their client calls itself.

import type { Call, EndedCall } from "./types.ts";

/** The name that the hub gives the page among its clients. */
const PAGE_CLIENT = "hobnob page";

export function isOwnRead(call: Call | EndedCall): boolean {
  if (call.client !== PAGE_CLIENT || call.server !== null || call.via !== null) return false;
  if (call.target.startsWith("mcp__") || call.method !== "tools/call") return false;
  return !("outcome" in call) || call.outcome === "ok";
}
