// The messages of one recording, the newest first, filtered by the hub. They are read again when the
// event stream tells of more, and stand still while a person reads.

import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { get } from "../../api.ts";
import { countText } from "../../format.ts";
import type { RecordedMessage, Recording } from "../../types.ts";
import { Badge, Bytes, clock, type Column, Empty, ErrorNote, Foreign, Loading, Panel, SearchField, Table, TimeOfDay, useFetch } from "../../ui/index.ts";
import { leftText, subjectText } from "./actions.ts";
import { MessageDialog } from "./message.tsx";
import { StopRecording } from "./start.tsx";
import { kindTone, wayText } from "./ways.ts";

type Messages = { messages: RecordedMessage[]; next: number | null };

const PAGE = 100;
/** A recording has no more messages. */
const MAX = 500;

const COLUMNS: readonly Column<RecordedMessage>[] = [
  { id: "at", title: "Time", cell: (message) => <span class="one-line"><TimeOfDay at={message.at} /></span> },
  { id: "way", title: "From and to", cell: (message) => <span class="one-line">{wayText(message)}</span> },
  { id: "kind", title: "Kind", cell: (message) => <Badge tone={kindTone(message.kind)}>{message.kind}</Badge> },
  { id: "method", title: "Method", cell: (message) => <span class="one-line"><Foreign text={message.method} max={34} /></span> },
  { id: "client", title: "Client", cell: (message) => <Foreign text={message.client} max={30} /> },
  { id: "text", title: "Text", wide: true, cell: (message) => <span class="mono"><Foreign text={message.text} max={120} /></span> },
  { id: "bytes", title: "Size", numeric: true, cell: (message) => <Bytes bytes={message.bytes} /> },
];

export function RecordingPanel({ recording }: { recording: Recording }) {
  const { id } = recording;
  const [words, setWords] = useState("");
  const [limit, setLimit] = useState(PAGE);
  const [opened, setOpened] = useState<number | null>(null);
  const [paused, setPaused] = useState(false);
  // While a person reads, the list stands still.
  const held = paused || opened !== null;
  const seen = useSignal(recording.total);
  useEffect(() => {
    if (!held) seen.value = recording.total;
  }, [held, recording.total]);
  const query = `limit=${limit}&q=${encodeURIComponent(words)}`;
  const { data, error, reload } = useFetch(
    `recording ${id} ${query}`,
    (stop) => get<Messages>(`/ui/api/recordings/${id}/messages?${query}`, stop),
    [seen],
  );
  return (
    <Panel
      title={`Recording of ${subjectText(recording.subject)}`}
      side={
        <>
          <span class="quiet small">
            {countText(recording.total)} messages, <Bytes bytes={recording.bytes} /> kept, {leftText(recording, clock.value)} left
          </span>
          <button type="button" aria-pressed={paused} onClick={() => setPaused(!paused)}>
            {paused ? "Go on" : "Pause the list"}
          </button>
          <a class="button" href={`/ui/api/recordings/${id}/export`} download={`hobnob-recording-${id}.jsonl`}>
            Download
          </a>
          <StopRecording recording={recording} />
        </>
      }
    >
      <div class="toolbar">
        <SearchField label="Filter messages" value={words} onInput={setWords} />
      </div>
      {error ? (
        <ErrorNote message={error.message} retry={reload} />
      ) : data === null ? (
        <Loading what="the messages" />
      ) : (
        <Table
          label="Recorded messages"
          columns={COLUMNS}
          rows={data.messages}
          rowKey={(message) => message.number}
          onOpen={(message) => setOpened(message.number)}
          opened={opened}
          max={MAX}
          empty={
            <Empty title={words === "" ? "No message yet" : "No message has these words"}>
              {words === "" && "Messages appear here as they pass."}
            </Empty>
          }
        />
      )}
      {data !== null && data.next !== null && limit < MAX && (
        <p>
          <button type="button" onClick={() => setLimit(MAX)}>
            Show all that are kept
          </button>
        </p>
      )}
      {recording.kept < recording.total && (
        <p class="quiet small">The newest {countText(recording.kept)} messages are kept, at most 500 and 8 MiB.</p>
      )}
      {opened !== null && <MessageDialog recording={id} number={opened} onClose={() => setOpened(null)} />}
    </Panel>
  );
}
