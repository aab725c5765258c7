// The lines of a difference, with signs for the eye and words for those who listen.

import { visible } from "../format.ts";
import type { DiffLine } from "../line_diff.ts";

const MAX_LINES = 400;
const SIGNS = { same: " ", removed: "−", added: "+", skipped: "⋯" };
const WORDS = { same: "", removed: "removed: ", added: "added: ", skipped: "" };

type Props = { lines: readonly DiffLine[]; rest?: string };

/** `rest` says where lines beyond the bound are to be read. */
export function DiffLines({ lines, rest = "" }: Props) {
  const shown = lines.slice(0, MAX_LINES);
  const left = lines.length - shown.length;
  return (
    <div class="diff" tabIndex={0} role="group" aria-label="Changed lines">
      {shown.map((line, index) => (
        <div key={index} class={`line ${line.kind}`}>
          <span class="sign" aria-hidden="true">
            {SIGNS[line.kind]}
          </span>
          <span class="hidden">{WORDS[line.kind]}</span>
          <span class="code">{visible(line.text)}</span>
        </div>
      ))}
      {left > 0 && (
        <p class="quiet small">
          {left} more lines{rest === "" ? "" : `: ${rest}`}.
        </p>
      )}
    </div>
  );
}
