// The lists of what decides: rules, grants, tokens and approvals, each with a button that
// takes one entry back.

import { countText } from "../../format.ts";
import { type Column, Empty, ErrorNote, Foreign, Panel, Table, When } from "../../ui/index.ts";
import { Word } from "./effects.tsx";
import type { Approval, Asked, Decided, Grant, Report, Rule, Service, Token } from "./types.ts";
import { callersText, matchesText, placeText } from "./words.ts";

type Ask = (asked: Asked) => void;

const RUNS_ON = "Calls that run now go on to their end; the next one is decided without it.";

export function button(title: string, label: string, asked: () => Asked, onAsk: Ask) {
  return (
    <button type="button" aria-label={label} onClick={() => onAsk(asked())}>
      {title}
    </button>
  );
}

/** A name that keeps room beside long lists of tools. */
function Name({ text }: { text: string }) {
  return (
    <span class="rule-name">
      <Foreign text={text} max={120} />
    </span>
  );
}

export function RuleTable({ report, rules, decided, onAsk }: { report: Report; rules: readonly Rule[]; decided: Decided | null; onAsk: Ask }) {
  const decides = (rule: Rule) => decided?.rule?.number === rule.number && decided.rule.profile === rule.profile;
  const columns: Column<Rule>[] = [
    { id: "tools", title: "Tools", cell: (it) => <Name text={it.tools} /> },
    { id: "action", title: "Action", cell: (it) => <Word action={it.action} /> },
    { id: "callers", title: "For", cell: (it) => <Name text={callersText(it, report.groups)} /> },
    { id: "pattern", title: "If an argument is", cell: (it) => <Foreign text={it.pattern} max={120} /> },
    { id: "matches", title: "Matches", cell: (it) => <Matches rule={it} decides={decides(it)} /> },
    { id: "uses", title: "Decided", cell: (it) => <Uses rule={it} /> },
    { id: "place", title: "Where", cell: (it) => <span class="quiet">{placeText(it)}</span> },
  ];
  if (rules.some((rule) => rule.profile === null)) {
    const asked = (it: Rule): Asked => ({
      title: "Remove this rule?",
      text: it.text,
      action: "Remove it",
      consequence: RUNS_ON,
      body: { what: "rule", number: it.number, digest: report.digest },
    });
    columns.push({ id: "remove", title: "Remove", cell: (it) => button("Remove", `Remove rule ${it.number}`, () => asked(it), onAsk) });
  }
  return <Table label="Rules" columns={columns} rows={rules} rowKey={(it) => `${it.profile ?? ""} ${it.number}`} />;
}

function Matches({ rule, decides }: { rule: Rule; decides: boolean }) {
  const { text, odd } = matchesText(rule);
  return (
    <div>
      {decides && <strong>decides the call above · </strong>}
      <span class={odd ? "warn-text" : "quiet"}>{text}</span>
      {rule.examples.length > 0 && (
        <span class="quiet">
          : <Foreign text={rule.examples.join(", ")} max={160} />
        </span>
      )}
    </div>
  );
}

function Uses({ rule }: { rule: Rule }) {
  if (rule.last_used === null) return <span class="quiet">no call yet</span>;
  return (
    <span>
      {rule.uses === 1 ? "1 call" : `${countText(rule.uses)} calls`}, last <When at={rule.last_used} />
    </span>
  );
}

type GrantRow = { service: Service; grant: Grant | null };

export function Grants({ report, onAsk }: { report: Report; onAsk: Ask }) {
  const rows: GrantRow[] = report.services.flatMap((service): GrantRow[] =>
    service.grants.length === 0 ? [{ service, grant: null }] : service.grants.map((grant) => ({ service, grant })),
  );
  const asked = (grant: Grant): Asked => ({
    title: "Revoke this grant?",
    text: grant.text,
    action: "Revoke it",
    consequence: "It does not count from the next call on, in every running hub. A command that runs now keeps what it has until it ends.",
    body: { what: "grant", digest: grant.digest },
  });
  const columns: readonly Column<GrantRow>[] = [
    { id: "service", title: "Service", cell: (it) => it.service.name },
    { id: "access", title: "Access", cell: (it) => <span class={it.service.access === "disabled" ? "quiet" : undefined}>{it.service.access ?? "–"}</span> },
    { id: "grant", title: "Granted", wide: true, cell: (it) => (it.grant === null ? <span class="quiet">nothing</span> : <Foreign text={it.grant.text} max={400} />) },
    { id: "problem", title: "Problem", cell: (it) => <span class="warn-text">{it.grant?.problem ?? ""}</span> },
    {
      id: "revoke",
      title: "Revoke",
      cell: ({ grant }) => grant && button("Revoke", `Revoke ${grant.text}`.slice(0, 200), () => asked(grant), onAsk),
    },
  ];
  return (
    <Panel title="Grants">
      {report.grants_problem !== null && <ErrorNote message={report.grants_problem} />}
      <Table label="Grants" columns={columns} rows={rows} rowKey={(it) => `${it.service.name} ${it.grant?.digest ?? ""}`} />
    </Panel>
  );
}

export function Tokens({ report, onAsk }: { report: Report; onAsk: Ask }) {
  const asked = (it: Token): Asked => ({
    title: "Revoke this token?",
    text: `${it.principal} (${it.id})\n${it.scopes.join(" ")}${it.profile === null ? "" : `\nfor the profile ${it.profile}`}`,
    action: "Revoke it",
    consequence: "Requests with it are refused from the next one on. A call that runs now goes on to its end.",
    body: { what: "token", id: it.id, digest: it.digest },
  });
  const columns: readonly Column<Token>[] = [
    { id: "name", title: "Principal", cell: (it) => <Foreign text={it.principal} max={80} /> },
    { id: "id", title: "Id", cell: (it) => <span class="mono">{it.id}</span> },
    { id: "scopes", title: "Scopes", cell: (it) => <Foreign text={it.scopes.join(" ")} max={200} /> },
    { id: "profile", title: "Profile", cell: (it) => <Foreign text={it.profile} max={80} /> },
    { id: "created", title: "Made", cell: (it) => <When at={it.created} /> },
    { id: "expires", title: "Expires", cell: (it) => (it.expires === null ? "never" : <When at={it.expires} />) },
    { id: "used", title: "Last used", cell: (it) => <When at={it.last_used} /> },
    { id: "revoke", title: "Revoke", cell: (it) => button("Revoke", `Revoke token ${it.name}`, () => asked(it), onAsk) },
  ];
  return (
    <Panel title="Access tokens">
      {report.tokens_problem !== null && <ErrorNote message={report.tokens_problem} />}
      <Table label="Access tokens" columns={columns} rows={report.tokens} rowKey={(it) => it.id} empty={<Empty title="No token was made" />} />
    </Panel>
  );
}

const KINDS: Record<Approval["kind"], string> = {
  server: "may start, as the project configures it now",
  changes: "its tools may change without your approval",
};

export function Approvals({ report, onAsk }: { report: Report; onAsk: Ask }) {
  const asked = (it: Approval): Asked => ({
    title: "Withdraw this approval?",
    text: `${it.server}: ${KINDS[it.kind]}`,
    action: "Withdraw it",
    consequence:
      it.kind === "server"
        ? "The server is stopped, calls that it runs fail, and it waits for your approval again."
        : "Tools that change from now on wait for your approval again.",
    body: { what: "approval", server: it.server, kind: it.kind, digest: it.digest },
  });
  const columns: readonly Column<Approval>[] = [
    { id: "server", title: "Server", cell: (it) => <Foreign text={it.server} max={64} /> },
    { id: "kind", title: "You approved", cell: (it) => KINDS[it.kind] },
    { id: "pinned", title: "Pinned tools", numeric: true, cell: (it) => it.pinned },
    { id: "file", title: "Configured in", cell: (it) => <Foreign text={it.file} max={200} /> },
    { id: "withdraw", title: "Withdraw", cell: (it) => button("Withdraw", `Withdraw the approval of ${it.server}`, () => asked(it), onAsk) },
  ];
  return (
    <Panel title="Approvals">
      {report.approvals_problem !== null && <ErrorNote message={report.approvals_problem} />}
      <Table
        label="Approvals"
        columns={columns}
        rows={report.approvals}
        rowKey={(it) => `${it.server} ${it.kind}`}
        empty={<Empty title="No server of the project was approved, and none is trusted" />}
      />
    </Panel>
  );
}
