// The answer to a call: its result or an error, and both sides raw.

import { visible } from "../format.ts";
import { showJson } from "../json_text.ts";
import type { JsonObject, McpAnswer, ToolResult } from "../types.ts";
import { CopyButton, ErrorNote, Tabs } from "../ui/index.ts";
import { ResultView } from "./result.tsx";

/** What ends a call; a call that asks first goes on. */
export type FinalAnswer = Exclude<McpAnswer, { input_required: JsonObject }>;

const MAX_CHARS = 500_000;

export function AnswerView({ request, answer }: { request: JsonObject; answer: FinalAnswer }) {
  return (
    <Tabs
      label="The answer"
      tabs={[
        { id: "result", title: "Result", view: () => <Answered answer={answer} /> },
        { id: "answer", title: "Raw answer", view: () => <Raw label="Raw answer" value={answer} /> },
        { id: "request", title: "Raw request", view: () => <Raw label="Raw request" value={request} /> },
      ]}
    />
  );
}

function Answered({ answer }: { answer: FinalAnswer }) {
  if ("result" in answer) return <ResultView result={answer.result as ToolResult} />;
  return <ErrorNote message={`Error ${answer.error.code}: ${visible(answer.error.message)}`} />;
}

function Raw({ label, value }: { label: string; value: unknown }) {
  const text = showJson(value);
  return (
    <div class="stack">
      <div>
        <CopyButton text={text} label="Copy JSON" />
      </div>
      <pre class="text" tabIndex={0} role="group" aria-label={label}>
        {text.slice(0, MAX_CHARS)}
      </pre>
      {MAX_CHARS < text.length && <p class="quiet small">It is cut here; the copy has all.</p>}
    </div>
  );
}
