// Removes a server, after a dialog that shows what goes and what stays.

import { useState } from "preact/hooks";
import { errorText } from "../../api.ts";
import { go, href } from "../../router.ts";
import { Dialog, ErrorNote, Foreign, Loading, Text, useFetch } from "../../ui/index.ts";
import { readEntry, remove } from "./changes.ts";

export function RemoveServer({ server }: { server: string }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setAsked(true)}>
        Remove
      </button>
      {asked && <RemoveDialog server={server} onClose={() => setAsked(false)} />}
    </>
  );
}

function RemoveDialog({ server, onClose }: { server: string; onClose: () => void }) {
  const { data, error, reload } = useFetch(`entry ${server}`, (stop) => readEntry(server, stop));
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (digest: string) => {
    setSending(true);
    setProblem(null);
    try {
      await remove(server, digest);
      onClose();
      go(href("servers"));
    } catch (failure) {
      setProblem(errorText(failure));
      setSending(false);
      reload();
    }
  };
  return (
    <Dialog title={`Remove ${server}?`} onClose={onClose}>
      {error && data === null ? (
        <ErrorNote message={error.message} retry={reload} />
      ) : data === null ? (
        <Loading what="its entry" />
      ) : (
        <>
          <p>
            It stops, its tools leave the lists, calls that run fail, and this entry goes from <Foreign text={data.file} max={1000} />:
          </p>
          <Text text={data.entry} label={`The entry of ${server}`} />
          {data.also_in.length > 0 && (
            <p>
              Another entry of this name is used then, in <Foreign text={data.also_in.join(", ")} max={1000} />.
            </p>
          )}
          <p class="quiet">
            A copy of the file is kept in <Foreign text={data.backups} max={1000} />. Its log, the audit log and a stored login stay: to end a login, log
            out first.
          </p>
          {problem !== null && <ErrorNote message={problem} />}
          <div class="actions">
            <button type="button" class="danger" disabled={sending} onClick={() => void send(data.digest)}>
              {sending ? "Removing …" : "Remove it"}
            </button>
            <button type="button" onClick={onClose}>
              Cancel
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}
