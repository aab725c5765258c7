// Grants and rules: everything that decides which calls may be made, what would happen to a call,
// and changes that count from the next call on.

import "./rules/rules.css";
import { useState } from "preact/hooks";
import { get } from "../api.ts";
import { changes } from "../state.ts";
import { Command, Empty, ErrorNote, Foreign, Loading, Page, Panel, useFetch, When } from "../ui/index.ts";
import { AddRule } from "./rules/add_rule.tsx";
import { Answers } from "./rules/answers.tsx";
import { Decide } from "./rules/decide.tsx";
import { Approvals, Grants, RuleTable, Tokens } from "./rules/lists.tsx";
import { Users } from "./rules/logins.tsx";
import { TakeBack } from "./rules/take_back.tsx";
import type { Asked, Decided, Report } from "./rules/types.ts";

export default function Rules() {
  const { data, error, reload } = useFetch("rules", (stop) => get<Report>("/ui/api/rules", stop), [changes.rules]);
  const [decided, setDecided] = useState<Decided | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [said, setSaid] = useState("");
  const done = (words: string) => {
    setSaid(words);
    reload();
  };
  return (
    <Page title="Grants and rules" about="What may be used, by whom, and what you can take back at once">
      <p role="status" class="rule-said">
        {said !== "" && <Foreign text={said} max={1000} />}
      </p>
      {error && <ErrorNote message={error.message} retry={reload} />}
      {data === null ? (
        !error && <Loading what="rules and grants" />
      ) : (
        <>
          <Decide report={data} onDecided={setDecided} />
          <RuleLists report={data} decided={decided} onAsk={setAsked} onDone={done} />
          <Answers report={data} onAsk={setAsked} />
          <Grants report={data} onAsk={setAsked} />
          {data.logins !== null && <Users logins={data.logins} onAsk={setAsked} />}
          <Tokens report={data} onAsk={setAsked} />
          <Approvals report={data} onAsk={setAsked} />
        </>
      )}
      {asked !== null && <TakeBack asked={asked} onClose={() => setAsked(null)} onDone={done} onChanged={reload} />}
    </Page>
  );
}

type ListsProps = { report: Report; decided: Decided | null; onAsk: (asked: Asked) => void; onDone: (words: string) => void };

function RuleLists({ report, decided, onAsk, onDone }: ListsProps) {
  const own = report.rules.filter((rule) => rule.profile === null);
  const profiles = [...new Set(report.rules.flatMap((rule) => (rule.profile === null ? [] : [rule.profile])))];
  return (
    <>
      <Panel title="Rules" side={report.problem === null && <AddRule report={report} onDone={onDone} />}>
        {report.problem !== null && <ErrorNote message={report.problem} />}
        <p class="quiet">
          The most specific rule about a call decides, whatever the order in the file; this list begins with the most specific. They are in{" "}
          <Foreign text={report.file} max={300} />. Decided calls are counted since this hub started, <When at={report.counted_since} />; rules of
          the same text count together.
        </p>
        {own.length > 0 ? (
          <RuleTable report={report} rules={own} decided={decided} onAsk={onAsk} />
        ) : (
          report.problem === null && (
            <Empty title="There are no rules">
              Servers' tools ask before they run. A rule allows or denies them, here or at a terminal: <Command command="hobnob allow SERVER/TOOL" />
            </Empty>
          )
        )}
      </Panel>
      {profiles.map((profile) => (
        <Panel key={profile} title={`Rules of the profile ${profile}`}>
          <p class="quiet">They count beside those above for clients of this profile. Change them in its file.</p>
          <RuleTable report={report} rules={report.rules.filter((rule) => rule.profile === profile)} decided={decided} onAsk={onAsk} />
        </Panel>
      ))}
    </>
  );
}
