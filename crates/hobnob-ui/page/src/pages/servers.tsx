// Servers: what each one is doing; with a name in the address, everything about that one.

import { go, href, route } from "../router.ts";
import { known, status } from "../state.ts";
import type { UpstreamStatus } from "../types.ts";
import { type Column, Command, Empty, Foreign, Note, Page, Panel, Table } from "../ui/index.ts";
import { ServerDetails } from "./servers/details.tsx";
import { PhaseBadge, urgency } from "./servers/phase.tsx";

const COLUMNS: readonly Column<UpstreamStatus>[] = [
  { id: "name", title: "Server", cell: (it) => <Foreign text={it.name} max={64} />, sort: (it) => it.name },
  { id: "phase", title: "State", cell: (it) => <PhaseBadge phase={it.phase} />, sort: (it) => urgency(it.phase) },
  { id: "about", title: "What and why", wide: true, cell: (it) => <About server={it} /> },
  { id: "tools", title: "Tools", numeric: true, cell: (it) => it.tools, sort: (it) => it.tools },
  { id: "flight", title: "Running", numeric: true, cell: (it) => it.in_flight, sort: (it) => it.in_flight },
  { id: "starts", title: "Starts", numeric: true, cell: (it) => it.starts, sort: (it) => it.starts },
  { id: "transport", title: "Transport", cell: (it) => it.transport, sort: (it) => it.transport },
];

export default function Servers() {
  const name = route.value.rest[0];
  if (name !== undefined) return <ServerDetails key={name} name={name} />;
  const servers = status.value?.servers ?? [];
  const problems = status.value?.problems ?? [];
  return (
    <Page title="Servers" about={`${servers.length} configured`}>
      {problems.map((problem) => (
        <Note key={problem} tone="warn">
          <Foreign text={problem} max={1000} />
        </Note>
      ))}
      <Panel title="All servers">
        <Table
          label="Servers"
          columns={COLUMNS}
          rows={servers}
          rowKey={(server) => server.name}
          onOpen={(server) => go(href("servers", server.name))}
          sortBy={{ id: "phase", down: false }}
          empty={
            <Empty title={known.value ? "No server is configured" : "Waiting for the hub …"}>
              {known.value && (
                <>
                  Add one at a terminal: <Command command="hobnob add NAME -- COMMAND" />
                </>
              )}
            </Empty>
          }
        />
      </Panel>
    </Page>
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
