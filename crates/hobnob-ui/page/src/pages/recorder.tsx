// Recorder: the exact messages of servers and clients, for a while, when a person wants them.

import { href, route } from "../router.ts";
import { known, recordings } from "../state.ts";
import { Empty, Page, Panel } from "../ui/index.ts";
import { subjectText } from "./recorder/actions.ts";
import { RecordingPanel } from "./recorder/messages.tsx";
import { RecordOffer } from "./recorder/start.tsx";

export default function Recorder() {
  const all = recordings.value;
  const wanted = Number(route.value.rest[0]);
  const shown = all.find((recording) => recording.id === wanted) ?? all.at(-1);
  return (
    <Page
      title="Recorder"
      about="Exact messages between clients, Hobnob and servers, in memory only and with secrets masked. When a recording ends, its messages are gone."
    >
      {all.length > 1 && (
        <div role="group" aria-label="Recordings" class="toolbar">
          {all.map((recording) => (
            <a
              key={recording.id}
              class="button"
              href={href("recorder", String(recording.id))}
              aria-current={recording === shown ? "page" : undefined}
            >
              {subjectText(recording.subject)}
            </a>
          ))}
        </div>
      )}
      {shown === undefined && known.value && (
        <Panel title="Recordings">
          <Empty title="Nothing is recorded">Start a recording on a server's page, on a call in Now, or here.</Empty>
        </Panel>
      )}
      {shown !== undefined && <RecordingPanel key={shown.id} recording={shown} />}
      {!all.some((recording) => recording.subject === "all-clients") && (
        <Panel title="All clients">
          <RecordOffer subject="all-clients" />
        </Panel>
      )}
    </Page>
  );
}
