// The answers "until the hub restarts" that people gave: whose calls are not asked about, and a
// button that withdraws each.

import { type Column, Empty, Foreign, Panel, Table } from "../../ui/index.ts";
import { button } from "./lists.tsx";
import type { Asked, Consent, Report } from "./types.ts";

const whose = (it: Consent) => (it.principal === "" ? "you" : it.principal);

export function Answers({ report, onAsk }: { report: Report; onAsk: (asked: Asked) => void }) {
  const asked = (it: Consent): Asked => ({
    title: "Withdraw this answer?",
    text: `${it.tool}\ncalled by ${whose(it)}${it.profile === null ? "" : `\nthrough the profile ${it.profile}`}`,
    action: "Withdraw it",
    consequence: "The next call is asked about again. A call that runs now goes on to its end.",
    body: { what: "consent", digest: it.digest },
  });
  const columns: readonly Column<Consent>[] = [
    { id: "tool", title: "Tool", wide: true, cell: (it) => <Foreign text={it.tool} max={160} /> },
    { id: "principal", title: "Called by", cell: (it) => <Foreign text={whose(it)} max={80} /> },
    { id: "profile", title: "Through", cell: (it) => (it.profile === null ? "everything" : <Foreign text={`profile ${it.profile}`} max={80} />) },
    { id: "withdraw", title: "Withdraw", cell: (it) => button("Withdraw", `Withdraw the answer about ${it.tool}`.slice(0, 200), () => asked(it), onAsk) },
  ];
  return (
    <Panel title="Answers until the hub restarts">
      <p class="quiet">A person was asked and agreed to all calls of the tool, as it is defined now. Such an answer ends with the hub, or when you withdraw it.</p>
      <Table
        label="Answers until the hub restarts"
        columns={columns}
        rows={report.consents}
        rowKey={(it) => it.digest}
        empty={<Empty title="No such answer holds" />}
      />
    </Panel>
  );
}
