// What a call asks before it goes on: whether it may run, or what its server wants to know. The page
// answers as any client does: it makes the same call again, with the answers.
// What must stay true: the words are shown whole, with who asks; nothing is answered without a click.

import { useMemo, useState } from "preact/hooks";
import { type Draft, initialDraft, type Problem, readForm } from "../../form/draft.ts";
import { Members } from "../../form/fields.tsx";
import { formOf } from "../../form/schema.ts";
import { visible } from "../../format.ts";
import type { JsonObject } from "../../types.ts";
import { ErrorNote, Note, Text } from "../../ui/index.ts";
import { type AskedForm, askedForms, type Choice } from "./asked_forms.ts";

/** The answers, each under the key of its question. */
export type Responses = { [key: string]: JsonObject };

type Props = { asked: JsonObject; onAnswer: (responses: Responses) => void };

export function Asked({ asked, onAnswer }: Props) {
  const forms = useMemo(() => askedForms(asked), [asked]);
  const [given, setGiven] = useState<readonly (readonly [string, JsonObject])[]>([]);
  if (forms === null) return <Note tone="warn">The tool asks for something that this page cannot give: call it in your assistant.</Note>;
  const answer = (key: string, response: JsonObject) => {
    const all = [...given, [key, response] as const];
    setGiven(all);
    if (all.length === forms.length) onAnswer(Object.fromEntries(all));
  };
  const open = forms[given.length];
  return open === undefined ? null : <OneForm key={open.key} form={open} onAnswer={(response) => answer(open.key, response)} />;
}

function OneForm({ form, onAnswer }: { form: AskedForm; onAnswer: (response: JsonObject) => void }) {
  const members = useMemo(() => formOf(form.schema), [form]);
  const [draft, setDraft] = useState<Draft>(() => initialDraft(members ?? []));
  const [problems, setProblems] = useState<Problem[]>([]);
  const accept = (content: JsonObject) => onAnswer({ action: "accept", content });
  const send = () => {
    const read = readForm(members ?? [], draft);
    setProblems(read.problems);
    if (read.problems.length === 0) accept(read.value);
  };
  return (
    <div class="stack">
      <p>{form.byHobnob ? "Hobnob asks you before the call runs:" : "The server asks you, in its own words:"}</p>
      <Text text={form.message} label="The question" />
      {form.about !== "" && <p class="quiet small">{visible(form.about).slice(0, 1000)}</p>}
      {form.choice !== null ? (
        <div class="actions tool-choices">
          {form.choice.options.map((option) => (
            <ChoiceButton key={option.value} choice={form.choice as Choice} option={option} onChoose={accept} />
          ))}
        </div>
      ) : members === null ? (
        <Note tone="warn">This page cannot show its form: call the tool in your assistant.</Note>
      ) : (
        <>
          <Members members={members} draft={draft} onDraft={setDraft} problems={problems} />
          {problems.length > 0 && <ErrorNote message={problems.map(({ path, message }) => `${visible(path)}: ${message}`).join("; ")} />}
          <div class="actions">
            <button type="button" class="primary" onClick={send}>
              Send the answer
            </button>
          </div>
        </>
      )}
      {!form.byHobnob && (
        <div class="actions">
          <button type="button" onClick={() => onAnswer({ action: "decline" })}>
            Do not answer
          </button>
        </div>
      )}
    </div>
  );
}

type ChoiceProps = { choice: Choice; option: { value: string; title: string }; onChoose: (content: JsonObject) => void };

function ChoiceButton({ choice, option, onChoose }: ChoiceProps) {
  return (
    <button type="button" onClick={() => onChoose(Object.fromEntries([[choice.name, option.value]]))}>
      {visible(option.title).slice(0, 300)}
    </button>
  );
}
