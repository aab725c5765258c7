// One recorded message and everything that belongs to it: on the left what passed between the client
// and Hobnob, on the right what passed between Hobnob and the server.

import { get } from "../../api.ts";
import { prettyJson } from "../../json_text.ts";
import type { RecordedMessage } from "../../types.ts";
import { Badge, Bytes, CopyButton, Dialog, ErrorNote, Foreign, Loading, Note, TimeOfDay, useFetch } from "../../ui/index.ts";
import { kindTone, wayText } from "./ways.ts";

type Whole = { message: RecordedMessage; related: RecordedMessage[]; left_out: number };

export function MessageDialog(props: { recording: number; number: number; onClose: () => void }) {
  const { recording, number, onClose } = props;
  const { data, error } = useFetch(`message ${recording} ${number}`, (stop) =>
    get<Whole>(`/ui/api/recordings/${recording}/messages/${number}`, stop),
  );
  return (
    <Dialog title={`Message ${number}`} onClose={onClose} wide>
      {error ? <ErrorNote message={error.message} /> : data === null ? <Loading what="the message" /> : <Sides whole={data} />}
    </Dialog>
  );
}

function Sides({ whole }: { whole: Whole }) {
  const all = [whole.message, ...whole.related].sort((left, right) => left.number - right.number);
  const columns = [
    { title: "Client and Hobnob", messages: all.filter((message) => message.side === "client") },
    { title: "Hobnob and server", messages: all.filter((message) => message.side === "server") },
  ].filter((column) => column.messages.length > 0);
  return (
    <div class={columns.length > 1 ? "recorded-sides two" : "recorded-sides"}>
      {columns.map(({ title, messages }) => (
        <section key={title} aria-label={title}>
          <h3>{title}</h3>
          {messages.map((message) => (
            <OneMessage key={message.number} message={message} chosen={message === whole.message} />
          ))}
        </section>
      ))}
      {whole.left_out > 0 && <p class="quiet small">{whole.left_out} more messages of this call are in the list.</p>}
    </div>
  );
}

function OneMessage({ message, chosen }: { message: RecordedMessage; chosen: boolean }) {
  const name = `Message ${message.number}`;
  return (
    <article class={chosen ? "recorded chosen" : "recorded"} aria-label={name}>
      <header>
        <span>
          <TimeOfDay at={message.at} /> {wayText(message)}
        </span>
        <Badge tone={kindTone(message.kind)}>{message.kind}</Badge>
        <strong>
          <Foreign text={message.method} max={80} />
        </strong>
        {message.id !== null && (
          <span class="quiet">
            id <Foreign text={message.id} max={40} />
          </span>
        )}
        <span class="quiet">
          <Bytes bytes={message.bytes} />
          {message.revision !== null && ` · ${message.revision}`}
        </span>
        <CopyButton text={message.text} label={`Copy message ${message.number}`} />
      </header>
      {message.is_cut && (
        <Note tone="warn">Only the beginning is kept: the message is longer than 128 KiB.</Note>
      )}
      <pre class="text" tabIndex={0} role="group" aria-label={`JSON of message ${message.number}`}>
        {prettyJson(message.text)}
      </pre>
    </article>
  );
}
