// The tools of one server, and roughly how many of a model's tokens each definition costs.

import { toolsOfServer } from "../../catalog.ts";
import { countText, tokenEstimate } from "../../format.ts";
import { go, href } from "../../router.ts";
import { changes } from "../../state.ts";
import type { Tool, UpstreamStatus } from "../../types.ts";
import { type Column, Empty, ErrorNote, Foreign, Loading, Panel, Table, useFetch } from "../../ui/index.ts";

function cost(tool: Tool): number {
  return tokenEstimate(JSON.stringify(tool).length);
}

const COLUMNS: readonly Column<Tool>[] = [
  { id: "name", title: "Tool", cell: (tool) => <Foreign text={tool.name} max={140} />, sort: (tool) => tool.name },
  { id: "about", title: "Description", wide: true, cell: (tool) => <Foreign text={tool.description ?? tool.title} max={200} /> },
  { id: "cost", title: "Tokens", numeric: true, cell: (tool) => countText(cost(tool)), sort: cost },
];

export function ServerTools({ server }: { server: UpstreamStatus }) {
  const { data, error, reload } = useFetch(`tools ${server.name}`, (stop) => toolsOfServer(server.name, stop), [changes.tools]);
  if (error) return <ErrorNote message={error.message} retry={reload} />;
  if (data === null) return <Loading what="its tools" />;
  const total = data.tools.reduce((sum, tool) => sum + cost(tool), 0);
  return (
    <Panel title="Tools" side={<span class="quiet small">about {countText(total)} tokens in a list of tools</span>}>
      <Table
        label={`Tools of ${server.name}`}
        columns={COLUMNS}
        rows={data.tools}
        rowKey={(tool) => tool.name}
        onOpen={(tool) => go(href("tools", tool.name))}
        sortBy={{ id: "cost", down: true }}
        max={500}
        empty={
          <Empty title="None of its tools is listed">
            {server.tools > 0 ? "They may have other names, or your rules hide them." : "It offers none, or it was never started."}
          </Empty>
        }
      />
      {!data.complete && data.tools.length > 0 && data.tools.length < server.tools && (
        <p class="quiet small">
          The hub lists only some of its tools; a search found these {data.tools.length} of {server.tools}.
        </p>
      )}
    </Panel>
  );
}
