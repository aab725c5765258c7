// What a call would change in files, line by line.

import { useMemo } from "preact/hooks";
import { type FileChange, fileChanges } from "../../file_change.ts";
import { lineDiff } from "../../line_diff.ts";
import { DiffLines } from "../../ui/diff_lines.tsx";
import { Foreign } from "../../ui/index.ts";

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
  return (
    <div class="stack">
      <h3>
        {change.whole ? "Writes the whole file " : "Changes "}
        <span class="mono">
          <Foreign text={change.path ?? "a text"} />
        </span>
      </h3>
      <DiffLines lines={lines} rest="see the arguments" />
    </div>
  );
}
