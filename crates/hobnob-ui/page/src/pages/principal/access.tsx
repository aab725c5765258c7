// What a principal may use: who they are here, and which tools they get. Only the owner changes it.

import { session } from "../../api.ts";
import { listTools } from "../../catalog.ts";
import { href } from "../../router.ts";
import { changes } from "../../state.ts";
import { ErrorNote, Facts, Foreign, Page, Panel, useFetch } from "../../ui/index.ts";

export default function OwnAccess() {
  const open = session.value.phase === "open" ? session.value.session : null;
  const { data, error, reload } = useFetch("own tools", (stop) => listTools(stop), [changes.tools]);
  const view = open?.view ?? "";
  return (
    <Page title="Your access" about="What you may use on this hub. Only its owner changes that.">
      <Panel title="You">
        <Facts
          facts={[
            ["Signed in as", <Foreign text={open?.principal ?? ""} max={200} />],
            ["Profile", view === "" ? "none: you get the hub's usual tools" : <Foreign text={view.replace("/p/", "")} />],
            ["Address for your assistants", <span class="mono">{`${location.origin}${view}/mcp`}</span>],
            ["Tools that are listed for you", data === null ? "…" : <a href={href("tools")}>{data.length}</a>],
          ]}
        />
        {error && <ErrorNote message={error.message} retry={reload} />}
      </Panel>
      <p class="quiet small">Some calls may still need the owner's answer; those wait on the page Waiting.</p>
    </Page>
  );
}
