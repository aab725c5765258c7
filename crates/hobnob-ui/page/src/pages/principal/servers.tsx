// The servers whose tools a principal gets: their names, what they are doing, and how many tools.

import { useMemo } from "preact/hooks";
import { go, href, route } from "../../router.ts";
import { known, status } from "../../state.ts";
import type { UpstreamStatus } from "../../types.ts";
import { type Column, Empty, Foreign, Loading, Page, Panel, Table } from "../../ui/index.ts";
import { PhaseBadge, urgency } from "../servers/phase.tsx";
import { ServerTools } from "../servers/tools.tsx";

const COLUMNS: readonly Column<UpstreamStatus>[] = [
  { id: "name", title: "Server", wide: true, cell: (it) => <Foreign text={it.name} max={64} />, sort: (it) => it.name },
  { id: "phase", title: "State", cell: (it) => <PhaseBadge phase={it.phase} />, sort: (it) => urgency(it.phase) },
  { id: "tools", title: "Tools", numeric: true, cell: (it) => it.tools, sort: (it) => it.tools },
];

export default function OwnServers() {
  const servers = useMemo(() => status.value?.servers ?? [], [status.value]);
  const name = route.value.rest[0];
  const server = servers.find((candidate) => candidate.name === name);
  if (server !== undefined) return <OneServer key={server.name} server={server} />;
  return (
    <Page title="Servers" about="Those whose tools you get">
      <Panel title="All servers">
        <Table
          label="Servers"
          columns={COLUMNS}
          rows={servers}
          rowKey={(row) => row.name}
          onOpen={(row) => go(href("servers", row.name))}
          sortBy={{ id: "name", down: false }}
          empty={
            known.value ? (
              <Empty title="No server is shown to you">Your token may not read the status of servers, or there is none. Tools has what you may call.</Empty>
            ) : (
              <Loading what="the hub's state" />
            )
          }
        />
      </Panel>
    </Page>
  );
}

function OneServer({ server }: { server: UpstreamStatus }) {
  return (
    <Page title={server.name} about={<PhaseBadge phase={server.phase} />}>
      <p>
        <a href={href("servers")}>← All servers</a>
      </p>
      <ServerTools server={server} />
    </Page>
  );
}
