// Trees: conversations that branch. A list, a search over all of them, one tree drawn, and the
// conversation up to any of its nodes to read. Nothing here changes a tree.

import { shorten, visible } from "../format.ts";
import { go, href, route } from "../router.ts";
import { changes } from "../state.ts";
import { Badge, Empty, Foreign, Loading, Page, SearchField, useRemembered, When } from "../ui/index.ts";
import { Choice } from "./memory_and_others/choice.tsx";
import { useLoaded } from "./memory_and_others/loading.ts";
import { RecordsProblem } from "./memory_and_others/problem.tsx";
import { useSettled } from "./memory_and_others/settled.ts";
import { type Hit, listTrees, searchNodes, type Tree, type TreeState } from "./trees/tools.ts";
import { TreeView } from "./trees/tree_view.tsx";
import "./memory_and_others/split.css";
import "./trees/trees.css";

const STATES: readonly { value: TreeState; title: string }[] = [
  { value: "active", title: "Active" },
  { value: "scheduled", title: "To be deleted" },
  { value: "archived", title: "Archived" },
];

export default function Trees() {
  const [query, setQuery] = useRemembered("trees query", "");
  const [state, setState] = useRemembered<TreeState>("trees state", "active");
  const settled = useSettled(query).trim();
  const [tree, node] = route.value.rest;
  if (tree !== undefined) {
    return (
      <Page title="Trees">
        <TreeView key={tree} id={tree} node={node} />
      </Page>
    );
  }
  return (
    <Page title="Trees" about="Conversations that branch: every message follows another one.">
      <div class="toolbar">
        <SearchField label="Find messages in all trees" value={query} onInput={setQuery} />
        <Choice label="State of the trees" choices={STATES} chosen={state} onChoose={setState} />
      </div>
      {settled === "" ? <TreeList state={state} /> : <Hits query={settled} />}
    </Page>
  );
}

function TreeList({ state }: { state: TreeState }) {
  const { value, problem, again } = useLoaded(state, changes.trees.value, (stop) => listTrees(state, stop));
  if (problem !== undefined) return <RecordsProblem problem={problem} retry={again} />;
  if (value === undefined) return <Loading what="trees" />;
  if (value.items.length === 0) return <NoTrees state={state} />;
  return (
    <section aria-label="Trees" class="record-list">
      <ul class="record-entries">
        {value.items.map((tree) => (
          <TreeEntry key={tree.tree_id} tree={tree} />
        ))}
      </ul>
      {value.more && <p class="quiet small">Only the newest {value.items.length} trees are shown.</p>}
    </section>
  );
}

function NoTrees({ state }: { state: TreeState }) {
  switch (state) {
    case "active":
      return (
        <Empty title="There are no conversations yet">
          <code>hobnob chat</code> and sessions with models keep theirs as trees; an assistant can create one with the
          tool <code>arbor_tree_create</code>.
        </Empty>
      );
    case "scheduled":
      return <Empty title="No tree waits to be deleted">A tree without claims does, for 7 days.</Empty>;
    case "archived":
      return <Empty title="No tree is archived">An archived tree is gone after 30 days.</Empty>;
  }
}

function TreeEntry({ tree }: { tree: Tree }) {
  const name = tree.name ?? tree.tree_id;
  return (
    <li>
      <button type="button" class="record-entry" onClick={() => go(href("trees", tree.tree_id))}>
        <span class="record-text">{shorten(visible(name), 200)}</span>
        <span class="record-facts">
          <span class="quiet small">{tree.nodes.toLocaleString("en-US")} nodes</span>
          {tree.claims.slice(0, 4).map((claim) => (
            <Badge key={claim.owner_id}>
              <Foreign text={claim.owner_id} max={40} />
            </Badge>
          ))}
          <span class="quiet small">
            changed <When at={tree.updated_at} />
          </span>
          {tree.archived_at !== undefined && (
            <Badge tone="warn">
              archived <When at={tree.archived_at} />
            </Badge>
          )}
          {tree.gone_at !== undefined && (
            <Badge tone="warn">
              gone <When at={tree.gone_at} />
            </Badge>
          )}
        </span>
      </button>
    </li>
  );
}

function Hits({ query }: { query: string }) {
  const { value, problem, again } = useLoaded(query, changes.trees.value, (stop) => searchNodes(query, stop));
  if (problem !== undefined) return <RecordsProblem problem={problem} retry={again} />;
  if (value === undefined) return <Loading what="messages" />;
  if (value.nodes.length === 0) return <Empty title="No message has all of these words">Use fewer words.</Empty>;
  return (
    <section aria-label="Messages that were found" class="record-list">
      <ul class="record-entries">
        {value.nodes.map((hit) => (
          <HitEntry key={`${hit.tree_id} ${hit.node.node_id}`} hit={hit} />
        ))}
      </ul>
      {value.truncated && <p class="quiet small">There are more: use more words to find fewer.</p>}
    </section>
  );
}

function HitEntry({ hit }: { hit: Hit }) {
  const { node } = hit;
  return (
    <li>
      <button type="button" class="record-entry" onClick={() => go(href("trees", hit.tree_id, node.node_id))}>
        <span class="record-text">{shorten(visible(node.content ?? ""), 240)}</span>
        <span class="record-facts">
          <Badge>
            <Foreign text={node.role} max={30} />
          </Badge>
          <Foreign text={hit.tree_name ?? hit.tree_id} max={60} />
          <span class="quiet small">
            <When at={node.created_at} />
          </span>
        </span>
      </button>
    </li>
  );
}
