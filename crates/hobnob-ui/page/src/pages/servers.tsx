// Servers: what each one is doing; with a name in the address, everything about that one.

import { signal } from "@preact/signals";
import { go, href, route } from "../router.ts";
import { known, status } from "../state.ts";
import type { UpstreamStatus } from "../types.ts";
import { type Column, Empty, Foreign, Note, Page, Panel, Table } from "../ui/index.ts";
import { AddServers } from "./servers/add.tsx";
import { ServerDetails } from "./servers/details.tsx";
import { historyColumns, useHistories } from "./servers/history.tsx";
import { PhaseBadge, urgency } from "./servers/phase.tsx";

/** Whether the form that adds servers is open beside others. */
const adds = signal(false);

const COLUMNS: readonly Column<UpstreamStatus>[] = [
  { id: "name", title: "Server", cell: (it) => <ServerName name={it.name} />, sort: (it) => it.name },
  { id: "phase", title: "State", cell: (it) => <PhaseBadge phase={it.phase} />, sort: (it) => urgency(it.phase) },
  { id: "about", title: "What and why", wide: true, cell: (it) => <About server={it} /> },
  { id: "tools", title: "Tools", numeric: true, cell: (it) => it.tools, sort: (it) => it.tools },
  { id: "flight", title: "Running", numeric: true, cell: (it) => it.in_flight, sort: (it) => it.in_flight },
];

export default function Servers() {
  const name = route.value.rest[0];
  return name === undefined ? <AllServers /> : <ServerDetails key={name} name={name} />;
}

function AllServers() {
  const histories = useHistories();
  const servers = status.value?.servers ?? [];
  const problems = status.value?.problems ?? [];
  return (
    <Page
      title="Servers"
      about={`${servers.length} configured`}
      actions={
        servers.length > 0 && (
          <button type="button" aria-expanded={adds.value} onClick={() => (adds.value = !adds.value)}>
            Add a server
          </button>
        )
      }
    >
      {problems.map((problem) => (
        <Note key={problem} tone="warn">
          <Foreign text={problem} max={1000} />
        </Note>
      ))}
      {known.value && (servers.length === 0 || adds.value) && <AddServers first={servers.length === 0} />}
      <Panel title="All servers">
        <Table
          label="Servers"
          columns={[...COLUMNS, ...historyColumns<UpstreamStatus>(histories)]}
          rows={servers}
          rowKey={(server) => server.name}
          onOpen={(server) => go(href("servers", server.name))}
          sortBy={{ id: "phase", down: false }}
          empty={<Empty title={known.value ? "No server is configured" : "Waiting for the hub …"}>{known.value && "The form above adds the first one."}</Empty>}
        />
      </Panel>
    </Page>
  );
}

function ServerName({ name }: { name: string }) {
  return (
    <span class="server-name">
      <Foreign text={name} max={64} />
    </span>
  );
}

function About({ server }: { server: UpstreamStatus }) {
  const warnings = (server.warnings?.length ?? 0) + (server.quarantined?.length ?? 0);
  return (
    <span class="quiet">
      <Foreign text={server.reason ?? server.server ?? server.target} max={160} />
      {warnings > 0 && (
        <span class="warn-text">
          {" "}
          · {warnings} {warnings === 1 ? "warning" : "warnings"}
        </span>
      )}
    </span>
  );
}
