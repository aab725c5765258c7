// Adds servers: a person pastes what they have, sees exactly what would be written, and adds it.
// What must stay true: only what the preview shows is added; nothing is sent to a server before.

import { signal } from "@preact/signals";
import { useEffect, useId, useState } from "preact/hooks";
import { errorText } from "../../api.ts";
import { go, href } from "../../router.ts";
import { ErrorNote, Foreign, Note, Panel } from "../../ui/index.ts";
import { add, MAX_PASTE_BYTES, type PastePreview, preview } from "./changes.ts";
import { type Choice, PreviewCard } from "./preview.tsx";
import "./add.css";

const TYPING_PAUSE_MS = 300;
const EXAMPLE = "npx -y @modelcontextprotocol/server-everything";

/** What was added last, for the page of the server to say so. */
export const justAdded = signal<readonly string[]>([]);

type Shown = { phase: "nothing" } | { phase: "loading" } | { phase: "failed"; message: string } | { phase: "shown"; of: string; preview: PastePreview };

const NO_CHOICE: Choice = { wanted: true, replace: false };

/** What identifies the answer to these words and names. */
const keyOf = (text: string, names: readonly string[]) => JSON.stringify([text, names]);

export function AddServers({ first }: { first: boolean }) {
  const [text, setText] = useState("");
  const [names, setNames] = useState<readonly string[]>([]);
  const [choices, setChoices] = useState<readonly Choice[]>([]);
  const [shown, setShown] = useState<Shown>({ phase: "nothing" });
  const [adding, setAdding] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const id = useId();
  const key = keyOf(text, names);
  usePreview(text, names, setShown);
  const paste = (next: string) => {
    setText(next);
    setNames([]);
    setChoices([]);
    setProblem(null);
  };
  const choice = (at: number) => choices[at] ?? NO_CHOICE;
  const choose = (at: number, next: Choice) => setChoices(filled(choices, at, next, NO_CHOICE));
  const found = shown.phase === "shown" ? shown.preview : null;
  const wanted = (found?.servers ?? []).map((server, at) => ({ server, at })).filter(({ at }) => choice(at).wanted);
  const ready =
    shown.phase === "shown" &&
    shown.of === key &&
    wanted.length > 0 &&
    wanted.every(({ server, at }) => server.problem === null && (server.replaces === null || choice(at).replace));
  const submit = async () => {
    setAdding(true);
    setProblem(null);
    try {
      const servers = wanted.map(({ server, at }) => ({ at, name: server.name, replace: choice(at).replace, digest: server.digest }));
      const { added } = await add(text, servers);
      justAdded.value = added;
      paste("");
      go(added.length === 1 && added[0] !== undefined ? href("servers", added[0]) : href("servers"));
    } catch (error) {
      setProblem(errorText(error));
    }
    setAdding(false);
  };
  return (
    <Panel title={first ? "Add your first server" : "Add a server"}>
      <form
        class="stack add-server"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready && !adding) void submit();
        }}
      >
        {first && <p>Assistants that are connected to this hub can use the tools of every server that you add here.</p>}
        <label for={id}>Paste its command, its URL, or JSON from its documentation</label>
        <textarea
          id={id}
          rows={text.includes("\n") ? 8 : 3}
          value={text}
          placeholder={EXAMPLE}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          aria-describedby={`${id}-help`}
          onInput={(event) => paste(event.currentTarget.value)}
        />
        <p id={`${id}-help`} class="quiet small">
          You see what would be written before anything happens. Also understood: a line such as <code>claude mcp add …</code>{" "}
          {text === "" && (
            <button type="button" class="small" onClick={() => paste(EXAMPLE)}>
              Use an example
            </button>
          )}
        </p>
        <div class="stack" aria-live="polite" aria-busy={shown.phase === "loading"}>
          {shown.phase === "failed" && <ErrorNote message={shown.message} />}
          {found !== null && found.problem !== null && (
            <Note tone="warn">
              <Foreign text={found.problem} max={1000} />
            </Note>
          )}
          {found?.servers.map((server, at) => (
            <PreviewCard
              key={at}
              server={server}
              file={found.file}
              several={found.servers.length > 1}
              name={names[at] ?? server.name}
              onName={(name) => setNames(filled(names, at, name, ""))}
              choice={choice(at)}
              onChoice={(next) => choose(at, next)}
            />
          ))}
        </div>
        {problem !== null && <ErrorNote message={problem} />}
        {found !== null && found.servers.length > 0 && (
          <div class="actions">
            <button type="submit" class="primary" disabled={!ready || adding}>
              {adding ? "Adding …" : wanted.length === 1 ? "Add this server" : `Add ${wanted.length} servers`}
            </button>
            <button type="button" onClick={() => paste("")}>
              Start over
            </button>
          </div>
        )}
      </form>
    </Panel>
  );
}

/** A copy with another item at this place; the places before it are filled. */
function filled<T>(items: readonly T[], at: number, item: T, missing: T): readonly T[] {
  const length = Math.max(items.length, at + 1);
  return Array.from({ length }, (_, index) => (index === at ? item : (items[index] ?? missing)));
}

/** Asks the hub what the words mean once nobody has typed for a moment. */
function usePreview(text: string, names: readonly string[], show: (next: Shown) => void): void {
  const key = keyOf(text, names);
  useEffect(() => {
    if (text.trim() === "") {
      show({ phase: "nothing" });
      return;
    }
    if (MAX_PASTE_BYTES < new TextEncoder().encode(text).length) {
      show({ phase: "failed", message: "This is longer than 64 KiB; paste one server at a time." });
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      preview(text, names, stop.signal).then(
        (answer) => {
          if (!stop.signal.aborted) show({ phase: "shown", of: key, preview: answer });
        },
        (error: unknown) => {
          if (!stop.signal.aborted) show({ phase: "failed", message: errorText(error) });
        },
      );
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key]);
}
