// The processes of servers: one for each server, or one for each client or principal of an isolated
// one, each with its memory.

import type { ServerProcess } from "../../types.ts";
import { Bytes, type Column, Duration, Foreign, Table } from "../../ui/index.ts";

/** Whom a process serves, where others of its server serve others. */
function serves(it: ServerProcess): string {
  const whose = it.principal === "" ? "" : ` of ${it.principal}`;
  return it.one_client ? `one client${whose}` : it.principal === "" ? "all clients" : `clients${whose}`;
}

const COLUMNS: readonly Column<ServerProcess>[] = [
  { id: "server", title: "Server", cell: (it) => <Foreign text={it.server} max={64} /> },
  { id: "serves", title: "Serves", cell: (it) => <Foreign text={serves(it)} max={120} /> },
  { id: "pid", title: "Process", numeric: true, cell: (it) => it.pid },
  { id: "memory", title: "Memory", numeric: true, sort: (it) => it.used?.resident_bytes ?? -1, cell: (it) => <Bytes bytes={it.used?.resident_bytes} /> },
  { id: "started", title: "With its children", numeric: true, cell: (it) => it.used?.processes ?? "–" },
  { id: "uptime", title: "Running for", numeric: true, sort: (it) => it.uptime_seconds, cell: (it) => <Duration us={it.uptime_seconds * 1_000_000} /> },
  { id: "calls", title: "Calls", numeric: true, cell: (it) => it.in_flight },
];

export function Processes({ processes }: { processes: readonly ServerProcess[] }) {
  const servers = [...new Set(processes.map((it) => it.server))];
  const all = servers.map((server) => [server, processes.filter((it) => it.server === server)] as const);
  const several = all.filter(([, its]) => its.length > 1);
  return (
    <>
      {several.map(([server, its]) => (
        <p key={server} class="quiet">
          <Foreign text={server} max={64} /> has {its.length} processes; together they use <Bytes bytes={sum(its)} />.
        </p>
      ))}
      <Table label="Processes of servers" columns={COLUMNS} rows={processes} rowKey={(it) => `${it.server} ${it.pid}`} />
    </>
  );
}

function sum(processes: readonly ServerProcess[]): number | null {
  const known = processes.flatMap((it) => (it.used === null ? [] : [it.used.resident_bytes]));
  return known.length === 0 ? null : known.reduce((left, right) => left + right, 0);
}
