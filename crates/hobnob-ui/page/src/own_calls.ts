// Which calls are reads of this page itself, such as its searches and its lists of memories.
//
// Now leaves them out at first. What a person does with the page always stays: calls of servers, and
// calls that failed. A read that was cancelled did not: the person went on to another part meanwhile.

import type { Call, EndedCall } from "./types.ts";

export function isOwnRead(call: Call | EndedCall): boolean {
  if (!call.own_page || call.server !== null || call.via !== null) return false;
  if (call.target.startsWith("mcp__") || call.method !== "tools/call") return false;
  return !("outcome" in call) || call.outcome === "ok" || call.outcome === "cancelled";
}
