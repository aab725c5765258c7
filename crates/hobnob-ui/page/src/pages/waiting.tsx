// Waiting for you: everything that goes on only when a person has decided.

import { known, openQuestions, questions, waiting, waitingCount } from "../state.ts";
import { Empty, Page } from "../ui/index.ts";
import { QuestionCard } from "./waiting/question.tsx";
import { TodoCard } from "./waiting/todo.tsx";

export default function Waiting() {
  const { approvals, changed_tools, logins } = waiting.value;
  const answered = questions.value.filter((question) => question.answer !== null);
  const count = waitingCount.value;
  return (
    <Page title="Waiting for you" about={count > 0 ? `${count} ${count === 1 ? "thing waits" : "things wait"}` : undefined}>
      {count === 0 && known.value && (
        <Empty title="Nothing waits for you">
          Questions about calls, logins, new servers of projects, and tools that changed appear here.
        </Empty>
      )}
      {openQuestions.value.map((question) => (
        <QuestionCard key={question.number} question={question} />
      ))}
      {logins.map((login) => (
        <TodoCard key={`login ${login.server}`} kind="Login" name={login.server} words={login.reason} how={login.how}>
          needs you to log in
        </TodoCard>
      ))}
      {approvals.map((approval) => (
        <TodoCard
          key={`approval ${approval.server}`}
          kind="Approval"
          name={approval.server}
          words={approval.reason}
          text={approval.command}
          how={approval.how}
        >
          is not started before you approve its command
        </TodoCard>
      ))}
      {changed_tools.map((changed) => (
        <TodoCard
          key={`tool ${changed.server} ${changed.tool}`}
          kind="Changed tool"
          name={`${changed.server}: ${changed.tool}`}
          words="Its definition is not the one that you approved, so calls of it are held back."
          how={changed.how}
        >
          has changed
        </TodoCard>
      ))}
      {answered.map((question) => (
        <QuestionCard key={question.number} question={question} />
      ))}
    </Page>
  );
}
