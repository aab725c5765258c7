// Restart, enable, disable: with a question first where it would interrupt calls.

import { useState } from "preact/hooks";
import { errorText, post } from "../../api.ts";
import { running } from "../../state.ts";
import type { UpstreamStatus } from "../../types.ts";
import { Confirm } from "../../ui/index.ts";

type Action = "restart" | "enable" | "disable";
type Doing = { phase: "none" } | { phase: "doing"; action: Action } | { phase: "done"; words: string } | { phase: "failed"; words: string };

const DONE: Record<Action, string> = { restart: "Restarted", enable: "Enabled", disable: "Disabled" };

export function ServerActions({ server }: { server: UpstreamStatus }) {
  const [asked, setAsked] = useState<Action | null>(null);
  const [doing, setDoing] = useState<Doing>({ phase: "none" });
  const perform = async (action: Action) => {
    setDoing({ phase: "doing", action });
    try {
      await post(`/ui/api/servers/${encodeURIComponent(server.name)}/${action}`);
      setDoing({ phase: "done", words: DONE[action] });
    } catch (error) {
      setDoing({ phase: "failed", words: errorText(error) });
    }
  };
  const calls = [...running.value.values()].filter((call) => call.server === server.name).length;
  const interrupted = Math.max(calls, server.in_flight);
  const start = (action: Action) => {
    if (interrupted > 0) setAsked(action);
    else void perform(action);
  };
  const busy = doing.phase === "doing";
  const disabled = server.phase === "disabled";
  return (
    <>
      <span role="status" class={doing.phase === "failed" ? "bad-text" : "quiet"}>
        {doing.phase === "doing" ? "…" : doing.phase === "none" ? "" : doing.words}
      </span>
      {disabled ? (
        <button type="button" class="primary" disabled={busy} onClick={() => void perform("enable")}>
          Enable
        </button>
      ) : (
        <>
          <button type="button" disabled={busy} onClick={() => start("restart")}>
            Restart
          </button>
          <button type="button" disabled={busy} onClick={() => start("disable")}>
            Disable
          </button>
        </>
      )}
      {asked !== null && (
        <Confirm
          title={`${asked === "restart" ? "Restart" : "Disable"} ${server.name}?`}
          action={asked === "restart" ? "Restart it" : "Disable it"}
          onYes={() => void perform(asked)}
          onClose={() => setAsked(null)}
        >
          <p>
            {interrupted === 1 ? "One call is waiting for its answer" : `${interrupted} calls are waiting for its answers`}
            {asked === "restart" ? " and will fail." : ". Its tools leave the lists at once."}
          </p>
        </Confirm>
      )}
    </>
  );
}
