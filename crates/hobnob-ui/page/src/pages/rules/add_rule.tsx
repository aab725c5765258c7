// The button and the dialog that add a rule: first what it would do, then it is written.

import { useState } from "preact/hooks";
import { errorText, post } from "../../api.ts";
import { Dialog, ErrorNote, Foreign, Note } from "../../ui/index.ts";
import { Effects } from "./effects.tsx";
import type { Action, Changed, Preview, Report, WantedRule } from "./types.ts";
import { ACTIONS, actionWords, knownCallers } from "./words.ts";

type Props = { report: Report; onDone: (words: string) => void };

export function AddRule({ report, onDone }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add a rule
      </button>
      {open && (
        <Dialog title="Add a rule" onClose={() => setOpen(false)}>
          <Form
            report={report}
            onDone={(words) => {
              setOpen(false);
              onDone(words);
            }}
          />
        </Dialog>
      )}
    </>
  );
}

type Shown = { wanted: WantedRule; preview: Preview };

function Form({ report, onDone }: Props) {
  const [tool, setTool] = useState("");
  const [action, setAction] = useState<Action>("ask");
  const [callers, setCallers] = useState<"all" | "principal" | "group">("all");
  const [name, setName] = useState("");
  const [future, setFuture] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  /** What was previewed is not what the fields say any more. */
  const change = <T,>(set: (value: T) => void) => (value: T) => {
    setShown(null);
    set(value);
  };
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
    } catch (error) {
      setShown(null);
      setProblem(errorText(error));
    }
    setBusy(false);
  };
  const look = () =>
    run(async () => {
      const wanted: WantedRule = { tool, action, future, digest: report.digest, ...(callers === "all" ? {} : { [callers]: name }) };
      setShown({ wanted, preview: await post<Preview>("/ui/api/rules/preview", { what: "add", ...wanted }) });
    });
  const write = (wanted: WantedRule) =>
    run(async () => {
      const done = await post<Changed>("/ui/api/rules/add", wanted);
      onDone([`Written: ${done.text}`, ...done.notes].join("; "));
    });
  return (
    <form
      class="rule-form wide"
      aria-label="A new rule"
      onSubmit={(event) => {
        event.preventDefault();
        void (shown === null ? look() : write(shown.wanted));
      }}
    >
      <label>
        <span>Tools</span>
        <input value={tool} maxLength={512} autocomplete="off" spellcheck={false} onInput={(event) => change(setTool)(event.currentTarget.value)} />
        <span class="quiet small">SERVER/TOOL, SERVER for all of its tools, or a tool's name; * stands for anything</span>
      </label>
      <label>
        <span>What happens</span>
        <select value={action} onChange={(event) => change(setAction)(ACTIONS.find((one) => one === event.currentTarget.value) ?? "ask")}>
          {ACTIONS.map((one) => (
            <option key={one} value={one}>
              {actionWords(one).about}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Whose calls</span>
        <select value={callers} onChange={(event) => change(setCallers)((["all", "principal", "group"] as const).find((one) => one === event.currentTarget.value) ?? "all")}>
          <option value="all">everybody's</option>
          <option value="principal">one principal's</option>
          {report.groups.length > 0 && <option value="group">those of a group's members</option>}
        </select>
      </label>
      {callers !== "all" && (
        <label>
          <span>{callers === "group" ? "Group" : "Principal"}</span>
          <input list="rule-names" value={name} maxLength={512} autocomplete="off" spellcheck={false} onInput={(event) => change(setName)(event.currentTarget.value)} />
          <datalist id="rule-names">
            {(callers === "group" ? report.groups.map((group) => group.name) : knownCallers(report)).map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={future} onChange={(event) => change(setFuture)(event.currentTarget.checked)} />
        Also if nothing has this name yet
      </label>
      {problem !== null && <ErrorNote message={problem} />}
      {shown !== null && (
        <Note>
          <div class="rule-words">
            <p>
              The line in <Foreign text={report.file} max={200} />:{" "}
              <strong>
                <Foreign text={shown.preview.text} max={600} />
              </strong>
            </p>
            <Effects preview={shown.preview} />
          </div>
        </Note>
      )}
      <div class="actions">
        {shown === null ? (
          <button type="submit" class="primary" disabled={busy || tool.trim() === "" || (callers !== "all" && name.trim() === "")}>
            See what it would do
          </button>
        ) : (
          <button type="submit" class="primary" disabled={busy}>
            Write this rule
          </button>
        )}
      </div>
    </form>
  );
}
