// The answer to a call: its result, an error, or what it asks for first; and both sides raw.

import { visible } from "../format.ts";
import { showJson } from "../json_text.ts";
import type { Json, JsonObject, McpAnswer, ToolResult } from "../types.ts";
import { CopyButton, ErrorNote, Foreign, Note, Tabs } from "../ui/index.ts";
import { ResultView } from "./result.tsx";

const MAX_CHARS = 500_000;

export function AnswerView({ request, answer }: { request: JsonObject; answer: McpAnswer }) {
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

function Answered({ answer }: { answer: McpAnswer }) {
  if ("result" in answer) return <ResultView result={answer.result as ToolResult} />;
  if ("error" in answer) return <ErrorNote message={`Error ${answer.error.code}: ${visible(answer.error.message)}`} />;
  return <InputRequired asked={answer.input_required} />;
}

/** A form or a model would have to answer: the page has neither. */
function InputRequired({ asked }: { asked: JsonObject }) {
  const requests = asked["inputRequests"];
  const list = typeof requests === "object" && requests !== null && !Array.isArray(requests) ? Object.values(requests) : [];
  return (
    <Note tone="warn">
      <div class="stack">
        {list.length === 0 && <p>The tool asks for something first: answer in your assistant.</p>}
        {list.map((request, index) => (
          <p key={index}>
            The tool asks for <Foreign text={askedFor(request)} max={500} />: answer in your assistant.
          </p>
        ))}
      </div>
    </Note>
  );
}

function askedFor(request: Json): string {
  if (typeof request !== "object" || request === null || Array.isArray(request)) return "something";
  const { params, method } = request as { params?: Json; method?: Json };
  const message = typeof params === "object" && params !== null && !Array.isArray(params) ? params["message"] : null;
  if (typeof message === "string") return `“${message}”`;
  if (method === "sampling/createMessage") return "an answer of your assistant's model";
  return method === "roots/list" ? "your assistant's folders" : String(method ?? "something");
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
