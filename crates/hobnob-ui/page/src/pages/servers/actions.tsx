// Restart, enable, disable: with a question first where it would interrupt calls.

import { useState } from "preact/hooks";
import { errorText, post } from "../../api.ts";
import { running } from "../../state.ts";
import type { UpstreamStatus } from "../../types.ts";
import { Confirm } from "../../ui/index.ts";
import { LogOut } from "./login.tsx";
import { RemoveServer } from "./remove.tsx";

type Action = "restart" | "enable" | "disable";
type Doing = { phase: "none" } | { phase: "doing"; action: Action } | { phase: "done"; words: string } | { phase: "failed"; words: string };

const DONE: Record<Action, string> = { restart: "Restarted", enable: "Enabled", disable: "Disabled" };

export function ServerActions({ server }: { server: UpstreamStatus }) {
  // The number of calls is the one at the click: a sentence that changes while it is read says nothing.
  const [asked, setAsked] = useState<{ action: Action; calls: number } | null>(null);
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
    if (interrupted > 0) setAsked({ action, calls: interrupted });
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
      <LogOut server={server.name} loggedIn={server.login?.logged_in === true} />
      <RemoveServer server={server.name} />
      {asked !== null && (
        <Confirm
          title={`${asked.action === "restart" ? "Restart" : "Disable"} ${server.name}?`}
          action={asked.action === "restart" ? "Restart it" : "Disable it"}
          onYes={() => void perform(asked.action)}
          onClose={() => setAsked(null)}
        >
          <p>
            {asked.calls === 1 ? "One call is waiting for its answer" : `${asked.calls} calls are waiting for its answers`}
            {asked.action === "restart" ? " and will fail." : ". Its tools leave the lists at once."}
          </p>
        </Confirm>
      )}
    </>
  );
}
