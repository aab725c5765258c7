// What a server wrote to standard error. Read again on the button, when its state changes,
// and, while followed, when one of its calls ends. Never by a timer.

import { computed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { get } from "../../api.ts";
import { visible } from "../../format.ts";
import { recent, status } from "../../state.ts";
import type { UpstreamStatus } from "../../types.ts";
import { Empty, ErrorNote, Loading, Panel, useFetch, useSampled } from "../../ui/index.ts";

export function ServerLog({ server }: { server: UpstreamStatus }) {
  const { name } = server;
  const [follow, setFollow] = useState(true);
  // What a log's new lines come with: another phase, another process, another call.
  const occasion = useMemo(
    () =>
      computed(() => {
        const now = status.value?.servers.find((candidate) => candidate.name === name);
        const last = recent.value.findLast((call) => call.server === name);
        return `${now?.phase} ${now?.pid} ${now?.starts} ${now?.in_flight} ${last?.id}`;
      }),
    [name],
  );
  const sampled = useSampled(occasion, 1000);
  const { data, error, loading, reload } = useFetch(`log ${name}`, (stop) =>
    get<{ text: string }>(`/ui/api/servers/${encodeURIComponent(name)}/log`, stop),
  );
  const first = useRef(sampled);
  useEffect(() => {
    if (follow && first.current !== sampled) reload();
    first.current = sampled;
  }, [sampled, follow, reload]);
  const end = useRef<HTMLPreElement>(null);
  useEffect(() => {
    if (follow && end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [data, follow]);
  return (
    <Panel
      title="Standard error, the last 200 lines"
      side={
        <>
          <label class="check">
            <input type="checkbox" checked={follow} onChange={(event) => setFollow(event.currentTarget.checked)} />
            Follow
          </label>
          <button type="button" onClick={reload} disabled={loading}>
            Refresh
          </button>
        </>
      }
    >
      {error ? (
        <ErrorNote message={error.message} retry={reload} />
      ) : data === null ? (
        <Loading what="the log" />
      ) : data.text === "" ? (
        <Empty title="It has written nothing">Only what a running server writes to standard error is here.</Empty>
      ) : (
        <pre class="text log" tabIndex={0} role="group" aria-label={`Log of ${name}`} ref={end}>
          {visible(data.text.replaceAll("\r\n", "\n"))}
        </pre>
      )}
    </Panel>
  );
}
