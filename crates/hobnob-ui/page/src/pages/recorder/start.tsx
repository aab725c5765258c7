// Offers to record a server or a client, and shows the recording that runs for it.

import { useState } from "preact/hooks";
import { ApiError, errorText } from "../../api.ts";
import { countText } from "../../format.ts";
import { href } from "../../router.ts";
import { recordings } from "../../state.ts";
import type { Call, Recording, RecordingSubject } from "../../types.ts";
import { clock, ErrorNote, Panel } from "../../ui/index.ts";
import { isSame, leftText, MINUTES, startRecording, stopRecording, subjectText, USUAL_MINUTES } from "./actions.ts";
import "./recorder.css";

/** The panel on a server's page. */
export function RecordServer({ server }: { server: string }) {
  return (
    <Panel title="Recorder">
      <RecordOffer subject={{ server }} />
      <p class="quiet small">
        A recording keeps the exact messages with this server, and those of the clients that call it, with secrets masked. It is
        in memory only and gone when it ends. The audit log says that you started it.
      </p>
    </Panel>
  );
}

/** The offers beside a call: its client, and the server that it reached. */
export function RecordCall({ call }: { call: Pick<Call, "client" | "server"> }) {
  return (
    <>
      {call.client !== null && <RecordOffer subject={{ client: call.client }} />}
      {call.server !== null && <RecordOffer subject={{ server: call.server }} />}
    </>
  );
}

/** Starts a recording of one subject, or says that it runs. */
export function RecordOffer({ subject }: { subject: RecordingSubject }) {
  const running = recordings.value.find((recording) => isSame(recording.subject, subject));
  return running ? <Running recording={running} /> : <Start subject={subject} />;
}

function Start({ subject }: { subject: RecordingSubject }) {
  const [minutes, setMinutes] = useState(USUAL_MINUTES);
  const [state, setState] = useState<{ busy: boolean; error: string | null }>({ busy: false, error: null });
  const what = subjectText(subject);
  const start = async () => {
    setState({ busy: true, error: null });
    try {
      await startRecording(subject, minutes);
      setState({ busy: false, error: null });
    } catch (error) {
      setState({ busy: false, error: errorText(error) });
    }
  };
  return (
    <div class="record-offer">
      <button type="button" onClick={start} disabled={state.busy}>
        Record {what}
      </button>
      <label>
        for{" "}
        <select
          value={minutes}
          aria-label={`How long to record ${what}`}
          onChange={(event) => setMinutes(Number(event.currentTarget.value))}
        >
          {MINUTES.map((count) => (
            <option key={count} value={count}>
              {count === 1 ? "1 minute" : `${count} minutes`}
            </option>
          ))}
        </select>
      </label>
      {state.error !== null && <ErrorNote message={state.error} />}
    </div>
  );
}

function Running({ recording }: { recording: Recording }) {
  return (
    <div class="record-offer">
      <span>
        <span class="dot bad" aria-hidden="true" /> Recording: {countText(recording.total)} messages, {leftText(recording, clock.value)} left
      </span>
      <a href={href("recorder", String(recording.id))}>Show the messages</a>
      <StopRecording recording={recording} />
    </div>
  );
}

export function StopRecording({ recording }: { recording: Recording }) {
  const [error, setError] = useState<string | null>(null);
  const stop = async () => {
    try {
      await stopRecording(recording.id);
    } catch (failure) {
      // It may have ended in this moment.
      if (!(failure instanceof ApiError && failure.status === 404)) setError(errorText(failure));
    }
  };
  return (
    <>
      <button type="button" class="danger" onClick={stop} aria-label={`Stop recording ${subjectText(recording.subject)}`}>
        Stop
      </button>
      {error !== null && <ErrorNote message={error} />}
    </>
  );
}
