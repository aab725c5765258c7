// What a call would change in files, line by line.

import { useMemo } from "preact/hooks";
import { type FileChange, fileChanges } from "../../file_change.ts";
import { visible } from "../../format.ts";
import { type DiffLine, lineDiff } from "../../line_diff.ts";
import { Foreign } from "../../ui/index.ts";

const MAX_LINES = 400;
const SIGNS = { same: " ", removed: "−", added: "+", skipped: "⋯" };
const WORDS = { same: "", removed: "removed: ", added: "added: ", skipped: "" };

export function FileChanges({ json }: { json: string }) {
  const changes = useMemo(() => fileChanges(json), [json]);
  return (
    <>
      {changes.map((change, index) => (
        <Change key={index} change={change} />
      ))}
    </>
  );
}

function Change({ change }: { change: FileChange }) {
  const lines = useMemo(() => lineDiff(change.before, change.after), [change]);
  const shown = lines.slice(0, MAX_LINES);
  return (
    <div class="stack">
      <h3>
        {change.whole ? "Writes the whole file " : "Changes "}
        <span class="mono">
          <Foreign text={change.path ?? "a text"} />
        </span>
      </h3>
      <div class="diff" tabIndex={0} role="group" aria-label="Changed lines">
        {shown.map((line, index) => (
          <Line key={index} line={line} />
        ))}
        {shown.length < lines.length && <p class="quiet small">{lines.length - shown.length} more lines: see the arguments.</p>}
      </div>
    </div>
  );
}

function Line({ line }: { line: DiffLine }) {
  return (
    <div class={`line ${line.kind}`}>
      <span class="sign" aria-hidden="true">
        {SIGNS[line.kind]}
      </span>
      <span class="hidden">{WORDS[line.kind]}</span>
      <span class="code">{visible(line.text)}</span>
    </div>
  );
}
