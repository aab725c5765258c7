// The calls that have ended, newest first, and all that is known of one of them.

import { isOwner } from "../../rights.ts";
import { known } from "../../state.ts";
import type { EndedCall } from "../../types.ts";
import { RecordCall } from "../recorder/start.tsx";
import { Bytes, CallPath, type Column, Dialog, Duration, Empty, Facts, Foreign, Outcome, Skeleton, Table, TimeOfDay } from "../../ui/index.ts";

const MAX_ROWS = 100;

const COLUMNS: readonly Column<EndedCall>[] = [
  { id: "call", title: "Call", wide: true, narrow: true, cell: (call) => <CallPath call={call} ended /> },
  { id: "outcome", title: "Outcome", narrow: true, cell: (call) => <Outcome outcome={call.outcome} code={call.code} /> },
  { id: "duration", title: "Duration", numeric: true, narrow: true, cell: (call) => <Duration us={call.duration_us} /> },
  { id: "result", title: "Answer", numeric: true, cell: (call) => <Bytes bytes={call.result_bytes} /> },
  { id: "at", title: "Began", numeric: true, cell: (call) => <TimeOfDay at={call.at} /> },
];

type Props = { calls: readonly EndedCall[]; filtered: boolean; onOpen?: (call: EndedCall) => void };

export function EndedCalls({ calls, filtered, onOpen }: Props) {
  const newest = calls.slice(-MAX_ROWS).reverse();
  const hidden = calls.length - newest.length;
  if (!known.value) return <Skeleton />;
  return (
    <div class="flush">
      <Table
        label="Ended calls"
        columns={COLUMNS}
        rows={newest}
        rowKey={(call) => call.id}
        {...(onOpen ? { onOpen } : {})}
        max={MAX_ROWS}
        compact
        empty={<Empty title={filtered ? "No ended call fits the filter" : "No call has ended yet"} />}
      />
      {hidden > 0 && <p class="quiet small under-table">The newest {MAX_ROWS} are shown. The page Audit has all.</p>}
    </div>
  );
}

export function CallDialog({ call, onClose }: { call: EndedCall; onClose: () => void }) {
  return (
    <Dialog title={`Call ${call.id}`} onClose={onClose}>
      <Facts
        facts={[
          ["Target", <Foreign text={call.target} max={2000} />],
          ["Method", call.method],
          ["Server", call.server === null ? "Hobnob itself" : <Foreign text={call.server} />],
          ["Outcome", <Outcome outcome={call.outcome} code={call.code} />],
          ["Client", <Foreign text={call.client} />],
          ["Principal", call.principal === "" ? "none (the owner)" : <Foreign text={call.principal} />],
          call.via === null ? null : ["Through", <Foreign text={call.via} />],
          ["Began", new Date(call.at).toLocaleString()],
          ["Duration", <Duration us={call.duration_us} />],
          ["Request", <Bytes bytes={call.request_bytes} />],
          ["Answer", <Bytes bytes={call.result_bytes} />],
        ]}
      />
      {isOwner.value && (
        <>
          <p class="quiet small">Hobnob keeps no arguments and no answers of calls. To see those of the next calls, record them:</p>
          <RecordCall call={call} />
        </>
      )}
    </Dialog>
  );
}
