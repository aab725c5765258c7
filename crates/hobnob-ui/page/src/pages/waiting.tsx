// Waiting for you: everything that goes on only when a person has decided.

import { known, openQuestions, questions, waiting, waitingCount } from "../state.ts";
import type { Waiting } from "../types.ts";
import { Empty, Page } from "../ui/index.ts";
import { LoginCard } from "./servers/login.tsx";
import { ServerReviewCards } from "./servers/review.tsx";
import { QuestionCard } from "./waiting/question.tsx";

export default function WaitingForYou() {
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
        <LoginCard key={`login ${login.server}`} server={login.server} reason={login.reason} how={login.how} />
      ))}
      {[...reviewed(approvals, changed_tools)].map(([server, { how, occasion }]) => (
        <ServerReviewCards key={`review ${server}`} server={server} how={how} occasion={occasion} />
      ))}
      {answered.map((question) => (
        <QuestionCard key={question.number} question={question} />
      ))}
    </Page>
  );
}

/** The servers of which something waits for an approval, each with what that is. */
function reviewed(approvals: Waiting["approvals"], tools: Waiting["changed_tools"]): Map<string, { how: string; occasion: string }> {
  const servers = new Map<string, { how: string; occasion: string }>();
  for (const { server, how, ...rest } of [...approvals, ...tools]) {
    const before = servers.get(server)?.occasion ?? "";
    servers.set(server, { how, occasion: `${before} ${"tool" in rest ? rest.tool : rest.command}` });
  }
  return servers;
}
