// "What would happen?": a person names a call, and the hub says which rule decides about it.

import { useEffect, useRef, useState } from "preact/hooks";
import { errorText, post, session } from "../../api.ts";
import { listTools } from "../../catalog.ts";
import { ErrorNote, Foreign, Note, Panel } from "../../ui/index.ts";
import { Word } from "./effects.tsx";
import type { Decided, Report } from "./types.ts";
import { knownCallers } from "./words.ts";

/** A list of suggestions stays short; any other name can be typed. */
const MAX_SUGGESTED = 500;

type Props = { report: Report; onDecided: (decided: Decided | null) => void };

export function Decide({ report, onDecided }: Props) {
  const [tool, setTool] = useState("");
  const [principal, setPrincipal] = useState("");
  const [profile, setProfile] = useState("");
  const [args, setArgs] = useState("");
  const [decided, setDecided] = useState<Decided | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const current = useRef<AbortController | null>(null);
  const tools = useToolNames(report);
  const ask = async () => {
    if (tool.trim() === "") return;
    current.current?.abort();
    const control = new AbortController();
    current.current = control;
    try {
      const answer = await post<Decided>("/ui/api/rules/decide", { tool, principal, profile, arguments: args }, control.signal);
      if (control.signal.aborted) return;
      setDecided(answer);
      setProblem(null);
      onDecided(answer);
    } catch (error) {
      if (control.signal.aborted) return;
      setDecided(null);
      setProblem(errorText(error));
      onDecided(null);
    }
  };
  useEffect(() => () => current.current?.abort(), []);
  // An answer that was right before the rules changed must not stay.
  const first = useRef(report.digest);
  useEffect(() => {
    if (first.current !== report.digest && decided !== null) void ask();
    first.current = report.digest;
  }, [report.digest]);
  const profiles = session.value.phase === "open" ? session.value.session.profile_names : [];
  return (
    <Panel title="What would happen?">
      <form
        class="rule-form"
        aria-label="A call to decide about"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <label>
          <span>Tool</span>
          <input list="rule-tools" value={tool} maxLength={512} autocomplete="off" spellcheck={false} placeholder="SERVER/TOOL" onFocus={tools.load} onInput={(event) => setTool(event.currentTarget.value)} />
        </label>
        <label>
          <span>Called by</span>
          <input list="rule-callers" value={principal} maxLength={512} autocomplete="off" spellcheck={false} placeholder="you" onInput={(event) => setPrincipal(event.currentTarget.value)} />
        </label>
        {profiles.length > 0 && (
          <label>
            <span>Through</span>
            <select value={profile} onChange={(event) => setProfile(event.currentTarget.value)}>
              <option value="">everything</option>
              {profiles.map((name) => (
                <option key={name} value={name}>
                  profile {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="submit" disabled={tool.trim() === ""}>
          Decide
        </button>
        <details class="rule-arguments">
          <summary>With arguments</summary>
          <label>
            <span>Arguments, as a JSON object</span>
            <textarea rows={3} value={args} spellcheck={false} maxLength={3000} onInput={(event) => setArgs(event.currentTarget.value)} />
          </label>
        </details>
        <datalist id="rule-tools">
          {tools.names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <datalist id="rule-callers">
          {knownCallers(report).slice(0, MAX_SUGGESTED).map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </form>
      {problem !== null && <ErrorNote message={problem} />}
      <div aria-live="polite">{decided !== null && <Verdict decided={decided} report={report} />}</div>
    </Panel>
  );
}

function Verdict({ decided, report }: { decided: Decided; report: Report }) {
  const service = report.services.find((one) => one.name === decided.service);
  return (
    <Note>
      <div class="rule-words">
        <p>
          <Word action={decided.action} /> <strong><Foreign text={decided.rules_name} max={160} /></strong>
        </p>
        <p>
          <Foreign text={decided.explained} max={1500} />
        </p>
        {!decided.known && <p class="quiet">The server's tools are not known yet; this is what the rules say about a tool of this name.</p>}
        {service !== undefined && decided.action !== "deny" && (
          <p>
            What it does needs a grant as well: {service.name} is {service.access ?? "not granted"}, with{" "}
            {service.grants.length === 1 ? "one grant" : `${service.grants.length} grants`} below.
          </p>
        )}
      </div>
    </Note>
  );
}

/** Names to choose from, read once a person begins to choose. */
function useToolNames(report: Report): { names: readonly string[]; load: () => void } {
  const [listed, setListed] = useState<readonly string[] | null>(null);
  const asked = useRef(false);
  const load = () => {
    if (asked.current) return;
    asked.current = true;
    listTools().then(
      (tools) => setListed(tools.map((tool) => tool.name)),
      // A name can be typed all the same, and the next visit tries again.
      () => {
        asked.current = false;
      },
    );
  };
  const names = new Set([...(listed ?? []), ...report.rules.flatMap((rule) => rule.examples)]);
  return { names: [...names].slice(0, MAX_SUGGESTED), load };
}
