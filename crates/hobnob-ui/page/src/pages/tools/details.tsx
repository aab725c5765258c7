// One tool: what it says of itself, its arguments as a form or as JSON, and the call.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { describeTools } from "../../catalog.ts";
import { ApiError, mcp, errorText } from "../../api.ts";
import { type Draft, draftOfMembers, initialDraft, type Problem, readForm, stillHolding } from "../../form/draft.ts";
import { Members } from "../../form/fields.tsx";
import { Asked, type Responses } from "./asked.tsx";
import { entered, keepEntered } from "./entered.ts";
import { formOf } from "../../form/schema.ts";
import { countText, tokenEstimate, visible } from "../../format.ts";
import { showJson } from "../../json_text.ts";
import { AnswerView } from "../../result/answer.tsx";
import type { JsonObject, McpAnswer, Tool } from "../../types.ts";
import { Badge, Duration, Empty, ErrorNote, Loading, Panel, Text, useFetch } from "../../ui/index.ts";

type Props = { name: string; listed: Tool | null; ready: boolean };

/** A tool that is not listed is asked for by its name. */
export function ToolDetails({ name, listed, ready }: Props) {
  const ask = ready && listed === null;
  const described = useFetch(`describe ${ask}`, async (stop) => (ask ? ((await describeTools([name], stop))[0] ?? null) : null));
  const tool = listed ?? described.data;
  if (tool) return <OneTool tool={tool} />;
  if (described.error) return <ErrorNote message={described.error.message} retry={described.reload} />;
  if (!ready || described.loading) return <Loading what="the tool" />;
  return <Empty title="There is no tool of this name">Its server may have been removed.</Empty>;
}

const HINTS: readonly (readonly [string, boolean, string])[] = [
  ["readOnlyHint", true, "reads only"],
  ["destructiveHint", true, "may destroy"],
  ["idempotentHint", true, "may be repeated"],
  ["openWorldHint", true, "reaches outside"],
];

function OneTool({ tool }: { tool: Tool }) {
  const hints = tool.annotations ?? {};
  const tokens = tokenEstimate(JSON.stringify(tool).length);
  return (
    <div class="page">
      <Panel title={visible(tool.name)} side={<span class="quiet small">about {countText(tokens)} tokens</span>}>
        <div class="stack">
          {tool.title !== undefined && tool.title !== tool.name && <p>{visible(tool.title)}</p>}
          <div class="actions">
            {HINTS.filter(([name, value]) => hints[name] === value).map(([name, , words]) => (
              <Badge key={name}>says it {words}</Badge>
            ))}
          </div>
          {tool.description !== undefined && tool.description !== "" && <p class="pre">{visible(tool.description).slice(0, 20_000)}</p>}
          <details>
            <summary>Definition</summary>
            <Text text={showJson(tool)} label={`Definition of ${tool.name}`} />
          </details>
        </div>
      </Panel>
      <CallForm tool={tool} />
    </div>
  );
}

type Calling =
  | { phase: "none" }
  | { phase: "calling" }
  | { phase: "answered"; args: JsonObject; request: JsonObject; answer: McpAnswer; us: number }
  | { phase: "failed"; message: string };

function useCall(tool: string) {
  const [calling, setCalling] = useState<Calling>({ phase: "none" });
  const control = useRef<AbortController | null>(null);
  /** `more` answers what the same call asked before. */
  const call = async (args: JsonObject, more: JsonObject = {}) => {
    const own = new AbortController();
    control.current = own;
    setCalling({ phase: "calling" });
    const began = performance.now();
    try {
      const params = { ...more, name: tool, arguments: args };
      const answer = await mcp("tools/call", params, own.signal);
      const request = { method: "tools/call", params };
      setCalling({ phase: "answered", args, request, answer, us: (performance.now() - began) * 1000 });
    } catch (error) {
      const large = error instanceof ApiError && error.status === 413;
      const words = large ? "the arguments are larger than the page may send (1 MiB)" : errorText(error);
      setCalling({ phase: "failed", message: own.signal.aborted ? "stopped: the page no longer waits for the answer" : words });
    }
  };
  return { calling, call, cancel: () => control.current?.abort() };
}

function CallForm({ tool }: { tool: Tool }) {
  const form = useMemo(() => formOf(tool.inputSchema ?? {}), [tool]);
  const [before] = useState(() => entered(tool.name));
  const [raw, setRaw] = useState<string | null>(form === null ? (before?.raw ?? "{}") : (before?.raw ?? null));
  const [draft, setDraft] = useState<Draft>(() => before?.draft ?? initialDraft(form ?? []));
  const [said, setProblems] = useState<Problem[]>([]);
  const element = useRef<HTMLFormElement>(null);
  const { calling, call, cancel } = useCall(tool.name);
  useEffect(() => keepEntered(tool.name, { raw, draft }), [tool.name, raw, draft]);
  const readNow = () => (raw === null && form !== null ? readForm(form, draft) : readRaw(raw ?? "{}"));
  const problems = said.length === 0 ? said : stillHolding(said, readNow().problems);
  const submit = () => {
    const read = readNow();
    setProblems(read.problems);
    if (read.problems.length === 0) void call(read.value);
    // Once the problems are drawn, a person goes on at the first of them.
    else requestAnimationFrame(() => element.current?.querySelector<HTMLElement>("[aria-invalid='true']")?.focus());
  };
  const answerFirst = (inputResponses: Responses) => {
    if (calling.phase !== "answered" || !("input_required" in calling.answer)) return;
    const { requestState } = calling.answer.input_required;
    void call(calling.args, requestState === undefined ? { inputResponses } : { inputResponses, requestState });
  };
  const toRaw = () => setRaw(JSON.stringify(readForm(form ?? [], draft).value, null, 2));
  const toForm = () => {
    const read = readRaw(raw ?? "{}");
    setProblems(read.problems);
    if (form === null || read.problems.length > 0) return;
    setDraft(draftOfMembers(form, read.value));
    setRaw(null);
  };
  return (
    <>
      <Panel
        title="Call it"
        side={
          form !== null && (
            <button type="button" aria-pressed={raw !== null} onClick={raw === null ? toRaw : toForm}>
              As JSON
            </button>
          )
        }
      >
        <form
          class="stack"
          ref={element}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {raw !== null ? (
            <textarea aria-label="Arguments as JSON" rows={10} spellcheck={false} value={raw} onInput={(event) => setRaw(event.currentTarget.value)} />
          ) : form?.length === 0 ? (
            <p class="quiet">It takes no arguments.</p>
          ) : (
            <Members members={form ?? []} draft={draft} onDraft={setDraft} problems={problems} />
          )}
          {problems.length > 0 && (
            <ErrorNote message={problems.map(({ path, message }) => (path === "" ? message : `${visible(path)}: ${message}`)).join("; ")} />
          )}
          <div class="actions">
            <button type="submit" class="primary" disabled={calling.phase === "calling"}>
              Call
            </button>
            {calling.phase === "calling" && (
              <>
                <span class="quiet" role="status">
                  Calling … a rule may ask you first: see Waiting for you.
                </span>
                <button type="button" onClick={cancel}>
                  Stop waiting
                </button>
              </>
            )}
          </div>
        </form>
      </Panel>
      {calling.phase === "failed" && <ErrorNote message={calling.message} />}
      {calling.phase === "answered" && "input_required" in calling.answer && (
        <Panel title="Answer first">
          <Asked asked={calling.answer.input_required} onAnswer={(responses) => answerFirst(responses)} />
        </Panel>
      )}
      {calling.phase === "answered" && !("input_required" in calling.answer) && (
        <Panel title="Answer" side={<span class="quiet small" role="status">after <Duration us={Math.round(calling.us)} /></span>}>
          <AnswerView request={calling.request} answer={calling.answer} />
        </Panel>
      )}
    </>
  );
}

function readRaw(text: string): { value: JsonObject; problems: Problem[] } {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value: value as JsonObject, problems: [] };
  } catch {
    // Said below, with the same words.
  }
  return { value: {}, problems: [{ path: "", message: "the arguments are not a JSON object" }] };
}
