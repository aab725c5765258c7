// One server: its state and what helps, its log, its calls, its tools, and what a person can do.

import { useEffect } from "preact/hooks";
import { durationText } from "../../format.ts";
import { href } from "../../router.ts";
import { known, recent, running, status, statusAt, waiting } from "../../state.ts";
import type { UpstreamStatus } from "../../types.ts";
import { clock, Command, Empty, ErrorNote, Facts, Foreign, Loading, Note, Page, Panel, Tabs, useSampled, When } from "../../ui/index.ts";
import { EndedCalls } from "../now/ended.tsx";
import { RunningCalls } from "../now/running.tsx";
import { ServerHistory } from "./history.tsx";
import { justAdded } from "./add.tsx";
import { ServerActions } from "./actions.tsx";
import { ServerLog } from "./log.tsx";
import { Login } from "./login.tsx";
import { PhaseBadge } from "./phase.tsx";
import { ServerReviewCards } from "./review.tsx";
import { ServerTools } from "./tools.tsx";
import { RecordServer } from "../recorder/start.tsx";

export function ServerDetails({ name }: { name: string }) {
  useEffect(() => {
    // The row that was chosen is gone: a reader of the screen goes on at the heading.
    document.getElementById("page-title")?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  const server = status.value?.servers.find((candidate) => candidate.name === name);
  if (!server) {
    return (
      <Page title={name}>
        <Back />
        {known.value ? <Empty title="There is no server of this name">It may have been removed.</Empty> : <Loading what="the hub's state" />}
      </Page>
    );
  }
  return (
    <Page title={server.name} about={<PhaseBadge phase={server.phase} />} actions={<ServerActions server={server} />}>
      <Back />
      <Added server={server} />
      <Trouble server={server} />
      <Panel title="State">
        <State server={server} />
      </Panel>
      <ServerHistory name={server.name} />
      <RecordServer server={server.name} />
      <Tabs
        label={`About ${server.name}`}
        tabs={[
          { id: "log", title: "Log", view: () => <ServerLog server={server} /> },
          { id: "calls", title: "Calls", view: () => <Calls server={server.name} /> },
          { id: "tools", title: "Tools", count: server.tools, view: () => <ServerTools server={server} /> },
        ]}
      />
    </Page>
  );
}

function Back() {
  return (
    <p>
      <a href={href("servers")}>← All servers</a>
    </p>
  );
}

/** After this server was added here: what happens now, and where to go on. */
function Added({ server }: { server: UpstreamStatus }) {
  if (!justAdded.value.includes(server.name)) return null;
  const starts = server.phase === "unknown" || server.phase === "starting" || server.phase === "installing";
  return (
    <Note>
      <span role="status">
        {server.tools > 0 ? (
          <>
            Added. It offers {server.tools} {server.tools === 1 ? "tool" : "tools"}: <a href={href("tools")}>call one</a>, or use them in an assistant that is
            connected to this hub.
          </>
        ) : starts ? (
          "Added. It starts for the first time; a package is downloaded before, which may take a minute."
        ) : (
          "Added."
        )}
      </span>
    </Note>
  );
}

/** The command that reviews at a terminal what waits. */
function approveCommand(server: string): string {
  const { approvals, changed_tools } = waiting.value;
  return [...approvals, ...changed_tools].find((entry) => entry.server === server)?.how ?? "hobnob approve";
}

/** Why it does not work, and what would help. */
function Trouble({ server }: { server: UpstreamStatus }) {
  const failed = server.phase === "failed" || server.phase === "resting" || server.phase === "misconfigured";
  return (
    <>
      {server.reason !== undefined && (failed ? <ErrorNote message={server.reason} /> : <Note tone="warn"><Foreign text={server.reason} max={2000} /></Note>)}
      {server.phase === "needs-login" && <Login server={server.name} how={server.hint ?? ""} />}
      {(server.phase === "needs-approval" || (server.quarantined ?? []).length + (server.warnings ?? []).length > 0) && (
        <ServerReviewCards server={server.name} occasion={`${server.phase} ${(server.quarantined ?? []).join(" ")}`} how={approveCommand(server.name)} />
      )}
      {server.hint !== undefined && server.phase !== "needs-login" && server.phase !== "needs-approval" && (
        <p class="how">
          What helps: <Command command={server.hint} />
        </p>
      )}
      {server.login?.last_error !== undefined && <ErrorNote message={server.login.last_error} />}
      {(server.warnings ?? []).map((warning) => (
        <Note key={warning} tone="warn">
          <Foreign text={warning} max={1000} />
        </Note>
      ))}
      {(server.quarantined ?? []).length > 0 && (
        <Note tone="warn">
          <span>
            Held back, because they changed since you approved them: <Foreign text={(server.quarantined ?? []).join(", ")} max={1000} />.
          </span>
        </Note>
      )}
    </>
  );
}

function State({ server }: { server: UpstreamStatus }) {
  const { login } = server;
  return (
    <Facts
      facts={[
        ["Command or address", <span class="mono"><Foreign text={server.target} max={1000} /></span>],
        ["Server", <Foreign text={server.server} />],
        ["Protocol revision", server.revision ?? "unknown until it has started"],
        ["Transport", server.transport],
        ["Process", server.pid === undefined ? "none" : `pid ${server.pid}`],
        ["Up for", <Uptime seconds={server.uptime_seconds} />],
        ["Starts", String(server.starts)],
        ["Open connections", String(server.connections)],
        ["Requests that wait for it", String(server.in_flight)],
        ["Offers", `${server.tools} tools, ${server.resources} resources, ${server.templates} templates, ${server.prompts} prompts`],
        server.sandbox === undefined ? null : ["Sandbox", server.sandbox],
        server.failed_at === undefined ? null : ["Failed last", <When at={server.failed_at} />],
        login === undefined
          ? null
          : ["Login", login.logged_in ? (login.renews ? "logged in, renews by itself" : "logged in") : "not logged in"],
        ["Configured in", <Foreign text={server.origin} />],
      ]}
    />
  );
}

function Uptime({ seconds }: { seconds: number | undefined }) {
  if (seconds === undefined) return <>–</>;
  const since = Math.max(0, Math.floor((clock.value - statusAt.value) / 1000));
  return <>{durationText(Math.max(1, seconds + since) * 1_000_000)}</>;
}

function Calls({ server }: { server: string }) {
  const now = [...useSampled(running).values()].filter((call) => call.server === server);
  const ended = useSampled(recent).filter((call) => call.server === server);
  return (
    <>
      <Panel title={`Running (${now.length})`}>
        <RunningCalls calls={now} filtered={false} known />
      </Panel>
      <Panel title="Ended lately">
        <EndedCalls calls={ended} filtered={false} />
      </Panel>
      <p class="quiet small">
        These are its calls among the hub's last 500. <a href={href("audit")}>Audit</a> has all.
      </p>
    </>
  );
}
