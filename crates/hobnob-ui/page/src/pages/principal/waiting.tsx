// What a principal's own calls wait for: the owner's answer, which only the owner gives.

import { whenText } from "../../format.ts";
import { prettyJson } from "../../json_text.ts";
import { known, questions, questionsAt } from "../../state.ts";
import type { OwnerQuestion } from "../../types.ts";
import { Badge, clock, Empty, Facts, Foreign, Page } from "../../ui/index.ts";

export default function OwnWaiting() {
  const own = questions.value;
  return (
    <Page title="Waiting" about="Calls of yours that the owner of this hub decides about">
      {own.length === 0 && known.value && (
        <Empty title="No call of yours waits">When a rule asks the owner about one, it appears here.</Empty>
      )}
      {own.map((question) => (
        <OwnQuestion key={question.number} question={question} />
      ))}
    </Page>
  );
}

function OwnQuestion({ question }: { question: OwnerQuestion }) {
  const { number, answer } = question;
  const asked = questionsAt.value - question.age * 1000;
  const shown = question.arguments;
  return (
    <section class="panel card question" aria-labelledby={`question-${number}`}>
      <header>
        {answer === null ? <Badge tone="warn">Waits for the owner</Badge> : <Badge tone={answer === "yes" || answer === "always" ? "good" : "quiet"}>The owner said: {answer}</Badge>}
        <h2 id={`question-${number}`}>
          <Foreign text={question.public} />
        </h2>
        <span class="side quiet small">asked {whenText(asked, Math.max(asked, clock.value))}</span>
      </header>
      <Facts
        facts={[
          question.client === null ? null : ["Client", <Foreign text={question.client} />],
          question.via === null ? null : ["Through", <Foreign text={question.via} />],
        ]}
      />
      {shown !== "absent" && "text" in shown && <pre class="code">{prettyJson(shown.text)}</pre>}
      {answer === "yes" && question.after_yes === "call-again" && <p class="quiet">Call it again, with the same arguments.</p>}
    </section>
  );
}
