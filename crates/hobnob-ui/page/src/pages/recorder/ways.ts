// How a recorded message went, in words. Pure.

import type { Tone } from "../../format.ts";
import type { RecordedMessage } from "../../types.ts";

/** `client → Hobnob`, `Hobnob → server`, and back. */
export function wayText(message: Pick<RecordedMessage, "side" | "direction">): string {
  const { side, direction } = message;
  return direction === "received" ? `${side} → Hobnob` : `Hobnob → ${side}`;
}

export function kindTone(kind: RecordedMessage["kind"]): Tone {
  switch (kind) {
    case "error":
    case "unreadable":
      return "bad";
    case "request":
      return "info";
    case "answer":
      return "good";
    default:
      return "quiet";
  }
}
