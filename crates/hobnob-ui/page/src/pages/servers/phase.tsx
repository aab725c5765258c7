// The phase of a server as a word with a tone, and which phases need a person first.

import type { Tone } from "../../format.ts";
import type { Phase } from "../../types.ts";
import { Badge } from "../../ui/index.ts";

const PHASES: Record<Phase, { tone: Tone; words: string }> = {
  failed: { tone: "bad", words: "failed" },
  resting: { tone: "bad", words: "resting after failures" },
  misconfigured: { tone: "bad", words: "misconfigured" },
  refused: { tone: "bad", words: "refused" },
  "needs-approval": { tone: "warn", words: "needs approval" },
  "needs-login": { tone: "warn", words: "needs login" },
  starting: { tone: "info", words: "starting" },
  installing: { tone: "info", words: "installing" },
  ready: { tone: "good", words: "ready" },
  sleeping: { tone: "quiet", words: "sleeping" },
  unknown: { tone: "quiet", words: "never started" },
  stopped: { tone: "quiet", words: "stopped" },
  disabled: { tone: "quiet", words: "disabled" },
};

const ORDER = Object.keys(PHASES);

/** The lower, the sooner a person should look at it. A newer hub's phase comes last. */
export function urgency(phase: Phase): number {
  const at = ORDER.indexOf(phase);
  return at < 0 ? ORDER.length : at;
}

export function PhaseBadge({ phase }: { phase: Phase }) {
  const { tone, words } = PHASES[phase] ?? { tone: "quiet" as const, words: phase };
  return <Badge tone={tone}>{words}</Badge>;
}
