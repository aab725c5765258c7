// Which calls a person looks for: every word has to occur somewhere in the call. Pure.

import { outcomeText } from "../../format.ts";
import type { Call, EndedCall } from "../../types.ts";

export function words(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

export function matches(call: Call | EndedCall, wanted: readonly string[]): boolean {
  if (wanted.length === 0) return true;
  const parts = [call.target, call.server, call.client, call.principal, call.via, call.method];
  if ("outcome" in call) parts.push(outcomeText(call.outcome, call.code));
  const text = parts.join(" ").toLowerCase();
  return wanted.every((word) => text.includes(word));
}
