// A call that waits for the owner: who makes it, why it is asked, its true arguments, the answers.
// What must stay true: the arguments are shown whole and as they are; a diff only comes beside them.
// An answer that writes a rule shows that rule.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { errorText, post } from "../../api.ts";
import { visible, whenText } from "../../format.ts";
import { prettyJson } from "../../json_text.ts";
import { applyAnswer, questionsAt } from "../../state.ts";
import type { AfterYes, OwnerAnswer, OwnerQuestion } from "../../types.ts";
import { Badge, Bytes, clock, Command, ErrorNote, Facts, Foreign } from "../../ui/index.ts";
import { FileChanges } from "./diff.tsx";

function who(question: OwnerQuestion): string {
  if (question.own) return question.client === null ? "A client of yours" : `Your client ${visible(question.client)}`;
  const name = question.principal === "" ? "A caller without a name" : question.principal;
  return visible(name).slice(0, 120);
}

function Age({ question }: { question: OwnerQuestion }) {
  const asked = questionsAt.value - question.age * 1000;
  return <>{whenText(asked, Math.max(asked, clock.value))}</>;
}

export function QuestionCard({ question }: { question: OwnerQuestion }) {
  const { number, answer } = question;
  const target = question.server === null ? `Hobnob's own tool ${question.public}` : `${question.tool} of ${question.server}`;
  return (
    <section class="panel card question" aria-labelledby={`question-${number}`}>
      <header>
        {answer === null ? <Badge tone="warn">Question {number}</Badge> : <Badge tone={answer === "yes" || answer === "always" ? "good" : "quiet"}>Answered: {answer}</Badge>}
        <h2 id={`question-${number}`}>
          {who(question)} wants to call <Foreign text={target} />
        </h2>
        <span class="side quiet small">
          asked <Age question={question} />
        </span>
      </header>
      <Facts
        facts={[
          ["Why you are asked", <Foreign text={question.because} max={1000} />],
          ["Called as", <Foreign text={question.public} />],
          ["Address", question.address === null ? "this machine" : <Foreign text={question.address} />],
          question.via === null ? null : ["Through", <Foreign text={question.via} />],
          question.own || question.client === null ? null : ["Client", <Foreign text={question.client} />],
          question.after_yes === "call-again" ? null : ["Asked in", "its client as well; the first answer counts"],
        ]}
      />
      <Arguments question={question} />
      <NotAnswered question={question} />
      {answer === null ? <Answer question={question} /> : <p class="quiet">{afterAnswer(question, answer)}</p>}
    </section>
  );
}

function Arguments({ question }: { question: OwnerQuestion }) {
  const shown = question.arguments;
  if (shown === "absent") return <p class="quiet">The call has no arguments.</p>;
  if ("file" in shown) {
    return (
      <div class="stack">
        <p>
          The arguments are too long to show (<Bytes bytes={shown.file.bytes} />
          ). This file, which only you can read, has them as long as the question is open:
        </p>
        <Command command={shown.file.path} />
      </div>
    );
  }
  return (
    <div class="stack">
      <FileChanges json={shown.text} />
      <h3>Arguments</h3>
      <pre class="text" tabIndex={0} role="group" aria-label={`All arguments of question ${question.number}`}>
        {prettyJson(shown.text)}
      </pre>
    </div>
  );
}

type Sending = { phase: "sending" } | { phase: "failed"; message: string };

/** The answers that are on their way or did not count, by the number of their question. They are kept
 *  here, since the card moves down once another one has answered. */
const attempts = signal<ReadonlyMap<number, Sending>>(new Map());

function note(number: number, attempt: Sending | null): void {
  const all = new Map(attempts.value);
  all.delete(number);
  if (attempt) all.set(number, attempt);
  attempts.value = all;
}

/** Why this page's answer did not count. */
function NotAnswered({ question }: { question: OwnerQuestion }) {
  const attempt = attempts.value.get(question.number);
  return attempt?.phase === "failed" ? <ErrorNote message={attempt.message} /> : null;
}

async function send({ number }: OwnerQuestion, answer: OwnerAnswer): Promise<void> {
  note(number, { phase: "sending" });
  try {
    applyAnswer(await post<OwnerQuestion>(`/ui/api/questions/${number}`, { answer }));
    note(number, null);
  } catch (error) {
    note(number, { phase: "failed", message: errorText(error) });
  }
}

/** What a yes does next, without a period. */
const NEXT: Record<AfterYes, string> = {
  continues: "the call goes on",
  "client-returns": "the call runs when its client comes back with its own answer",
  "call-again": "the call runs once when the caller repeats it",
};

function afterAnswer({ after_yes }: OwnerQuestion, answer: OwnerAnswer): string {
  const next = NEXT[after_yes] ?? NEXT["call-again"];
  switch (answer) {
    case "yes":
      return `Now ${next}.`;
    case "always":
      return `Now ${next}. A rule allows the tool from now on.`;
    case "never":
      return "The call does not run. A rule denies the tool from now on.";
    default:
      return "The call does not run.";
  }
}

function Answer({ question }: { question: OwnerQuestion }) {
  const sending = attempts.value.get(question.number)?.phase === "sending";
  const button = (answer: OwnerAnswer, label: string) => (
    <button
      type="button"
      class={answer === "yes" ? "primary" : undefined}
      disabled={sending}
      aria-label={`${label}: question ${question.number}`}
      onClick={() => send(question, answer)}
    >
      {label}
    </button>
  );
  return (
    <div class="stack">
      <div class="actions">
        {button("yes", "Yes, run it once")}
        {button("no", "No")}
        <span class="quiet small">Your answer is for exactly this call.</span>
      </div>
      {question.always_writes !== null && question.never_writes !== null && (
        <>
          <Lasting rule={question.always_writes}>{button("always", "Always allow this tool")}</Lasting>
          <Lasting rule={question.never_writes}>{button("never", "Never allow this tool")}</Lasting>
        </>
      )}
    </div>
  );
}

/** An answer for this call and all later ones, and the rule that it writes. */
function Lasting({ rule, children }: { rule: string; children: ComponentChildren }) {
  return (
    <div class="actions">
      {children}
      <span class="quiet small">
        With any arguments, for all callers; writes the rule <Foreign text={rule} max={500} />
      </span>
    </div>
  );
}
