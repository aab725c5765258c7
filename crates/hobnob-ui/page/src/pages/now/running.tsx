// The calls that run, the longest first, each with its progress and a button that cancels it.

import { useState } from "preact/hooks";
import { ApiError, errorText, post } from "../../api.ts";
import { durationText, visible } from "../../format.ts";
import type { Call, Progress } from "../../types.ts";
import { href } from "../../router.ts";
import { isOwner } from "../../rights.ts";
import { recordings } from "../../state.ts";
import { isSame, startRecording } from "../recorder/actions.ts";
import { CallPath, clock, type Column, Empty, Skeleton, Table } from "../../ui/index.ts";

const MAX_ROWS = 50;

const COLUMNS: readonly Column<Call>[] = [
  { id: "call", title: "Call", wide: true, cell: (call) => <CallPath call={call} /> },
  { id: "progress", title: "Progress", cell: (call) => <ProgressBar progress={call.progress} /> },
  { id: "elapsed", title: "Running for", numeric: true, cell: (call) => <Elapsed since={call.at} /> },
  { id: "record", title: "Record", cell: (call) => call.server !== null && <Record server={call.server} /> },
  { id: "cancel", title: "Stop", cell: (call) => <Cancel call={call} /> },
];

type Props = { calls: readonly Call[]; filtered: boolean; known: boolean };

export function RunningCalls({ calls, filtered, known }: Props) {
  const oldest = [...calls].sort((left, right) => left.id - right.id);
  const title = filtered ? "No running call fits the filter" : "No call is running";
  if (!known) return <Skeleton rows={1} />;
  return (
    <Table
      label="Running calls"
      columns={isOwner.value ? COLUMNS : COLUMNS.filter(({ id }) => id !== "record")}
      rows={oldest}
      rowKey={(call) => call.id}
      max={MAX_ROWS}
      empty={<Empty title={title}>{!filtered && "Calls of your assistants appear here while they run."}</Empty>}
    />
  );
}

function Elapsed({ since }: { since: string }) {
  // The clocks of two machines may differ a little: a call never runs for less than nothing.
  const seconds = Math.max(0, Math.floor((clock.value - Date.parse(since)) / 1000));
  return <>{seconds < 1 ? "< 1 s" : seconds < 10 ? `${seconds} s` : durationText(seconds * 1_000_000)}</>;
}

function ProgressBar({ progress }: { progress: Progress | undefined }) {
  if (!progress) return <span class="quiet">–</span>;
  const { at, total, message } = progress;
  const said = message === null ? "" : visible(message);
  const part = total !== null && total > 0 ? Math.min(1, Math.max(0, at / total)) : null;
  return (
    <span class="progress">
      {part === null ? <span>{at}</span> : <progress max={1} value={part} aria-label={`${Math.round(part * 100)} %`} />}
      {said !== "" && <span class="quiet small">{said.slice(0, 120)}</span>}
    </span>
  );
}

/** How long a recording that begins beside a call lasts. */
const RECORD_MINUTES = 5;

/** Records the call's server for a few minutes, or leads to the recording that runs. */
function Record({ server }: { server: string }) {
  const [problem, setProblem] = useState<string | null>(null);
  const subject = { server };
  const found = recordings.value.find((recording) => isSame(recording.subject, subject));
  if (found) return <a href={href("recorder", String(found.id))}>recording</a>;
  const start = () => {
    setProblem(null);
    startRecording(subject, RECORD_MINUTES).catch((error: unknown) => setProblem(errorText(error)));
  };
  return (
    <>
      <button type="button" class="small" onClick={start} aria-label={`Record ${visible(server)} for ${RECORD_MINUTES} minutes`} title={`Keeps the exact messages with ${visible(server)} for ${RECORD_MINUTES} minutes, in memory only, with secrets masked`}>
        Record
      </button>
      {problem !== null && (
        <span class="bad-text small" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}

type Cancelling = { phase: "none" } | { phase: "sent" } | { phase: "failed"; message: string };

function Cancel({ call }: { call: Call }) {
  const [state, setState] = useState<Cancelling>({ phase: "none" });
  const cancel = async () => {
    setState({ phase: "sent" });
    try {
      await post(`/ui/api/calls/${call.id}/cancel`);
    } catch (error) {
      const gone = error instanceof ApiError && error.status === 404;
      setState({ phase: "failed", message: gone ? "has ended already" : errorText(error) });
    }
  };
  if (state.phase === "failed") {
    return (
      <span class="bad-text small" role="alert">
        {state.message}
      </span>
    );
  }
  const sent = state.phase === "sent";
  return (
    <button type="button" class="small" disabled={sent} onClick={cancel} aria-label={`Cancel ${call.target}`}>
      {sent ? "cancelling …" : "Cancel"}
    </button>
  );
}
