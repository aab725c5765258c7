// One server of a pasted text: its name, and exactly what would be written and started.

import { useId } from "preact/hooks";
import { visible } from "../../format.ts";
import { Foreign, Note, Text } from "../../ui/index.ts";
import type { PreviewedServer } from "./changes.ts";

/** What a person chose about it. */
export type Choice = { wanted: boolean; replace: boolean };

type Props = {
  server: PreviewedServer;
  file: string;
  several: boolean;
  name: string;
  onName: (name: string) => void;
  choice: Choice;
  onChoice: (next: Choice) => void;
};

export function PreviewCard({ server, file, several, name, onName, choice, onChoice }: Props) {
  const id = useId();
  return (
    <fieldset class="preview">
      <legend>
        {several ? (
          <label class="check">
            <input type="checkbox" checked={choice.wanted} onChange={(event) => onChoice({ ...choice, wanted: event.currentTarget.checked })} />
            Add <Foreign text={server.name} max={64} />
          </label>
        ) : (
          "What will be added"
        )}
      </legend>
      <div class="field">
        <label for={id}>Name</label>
        <input
          id={id}
          value={name}
          maxLength={80}
          autocomplete="off"
          spellcheck={false}
          aria-invalid={server.problem !== null}
          aria-describedby={`${id}-about`}
          onInput={(event) => onName(event.currentTarget.value)}
        />
        <span id={`${id}-about`} class="quiet small">
          Its tools get names that begin with it.
        </span>
      </div>
      {server.problem !== null && (
        <Note tone="warn">
          <Foreign text={server.problem} max={1000} />
        </Note>
      )}
      {server.words.length > 0 && (
        <div class="field">
          <span class="label">{server.is_url ? "Hobnob will connect to" : "Hobnob will start, with your rights"}</span>
          <span class="words">
            {server.words.map((word, index) => (
              <code key={index}>{word === "" ? "“”" : visible(word)}</code>
            ))}
          </span>
        </div>
      )}
      {server.pairs.length > 0 && (
        <div class="field">
          <span class="label">{server.is_url ? "With these headers" : "With these environment variables"}</span>
          <span class="words">
            {server.pairs.map((pair, index) => (
              <code key={index}>
                {visible(pair.name)}
                {server.is_url ? ": " : "="}
                {visible(pair.value)}
              </code>
            ))}
          </span>
        </div>
      )}
      {server.warnings.map((warning, index) => (
        <Note key={index} tone="warn">
          <Foreign text={warning} max={1000} />
        </Note>
      ))}
      {server.replaces !== null && server.problem === null && (
        <div class="stack">
          <Note tone="warn">
            <span>
              A server of this name exists already. Choose another name, or{" "}
              <label class="check">
                <input type="checkbox" checked={choice.replace} onChange={(event) => onChoice({ ...choice, replace: event.currentTarget.checked })} />
                replace the existing one
              </label>
            </span>
          </Note>
          <details>
            <summary>What would be replaced</summary>
            <Text text={server.replaces} label={`The existing entry of ${server.name}`} />
          </details>
        </div>
      )}
      <details>
        <summary>What is written to the file</summary>
        <p class="quiet small">
          <Foreign text={file} max={1000} /> gets this entry; what looks like a secret is shown as “…”.
        </p>
        <Text text={server.entry} label={`The entry of ${server.name}`} />
      </details>
    </fieldset>
  );
}
