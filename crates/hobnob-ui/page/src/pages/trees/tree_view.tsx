// One tree: its drawing, and beside it the conversation up to the chosen node.

import { useMemo, useState } from "preact/hooks";
import { TreeDrawing } from "../../draw/tree.tsx";
import { shorten, visible } from "../../format.ts";
import { go, href } from "../../router.ts";
import { changes } from "../../state.ts";
import { Badge, Foreign, Loading, Panel, When } from "../../ui/index.ts";
import { useLoaded } from "../memory_and_others/loading.ts";
import { RecordsProblem } from "../memory_and_others/problem.tsx";
import { Conversation } from "./conversation.tsx";
import { branchEnd, markedPath, outlined } from "./outline.ts";
import { MAX_NODES, readLabels, readSkeleton, readTree, type Shape, type Tree } from "./tools.ts";

type Read = { tree: Tree; nodes: Shape[]; more: boolean; labels: Map<string, string> };

async function readAll(id: string, stop: AbortSignal): Promise<Read> {
  const [tree, skeleton, labels] = await Promise.all([readTree(id, stop), readSkeleton(id, stop), readLabels(id, stop)]);
  return { tree, nodes: skeleton.items, more: skeleton.more, labels };
}

/** Rows that a drawing begins with, and that each "more" adds. */
const STEP = 400;

export function TreeView({ id, node }: { id: string; node: string | undefined }) {
  const { value, problem, again } = useLoaded(id, changes.trees.value, (stop) => readAll(id, stop));
  return (
    <>
      <p>
        <a href={href("trees")}>← All trees</a>
      </p>
      {problem !== undefined && <RecordsProblem problem={problem} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="the tree" />}
      {value !== undefined && <Content {...value} id={id} node={node} />}
    </>
  );
}

function Content({ id, node, tree, nodes, more, labels }: Read & { id: string; node: string | undefined }) {
  const [shown, setShown] = useState(STEP);
  const outline = useMemo(() => outlined(nodes), [nodes]);
  const opened = node ?? outline.end;
  const marked = useMemo(() => markedPath(outline, opened), [outline, opened]);
  const rows = outline.lanes.rows.length;
  const open = (one: string) => go(href("trees", id, one));
  return (
    <div class="records-split opened tree-split">
      <Panel title={shorten(visible(tree.name ?? tree.tree_id), 90)} side={<TreeFacts tree={tree} leaves={outline.leaves} />}>
        <div class="tree-frame">
          <TreeDrawing
            label="Nodes of the tree, each conversation from top to bottom"
            lanes={outline.lanes}
            text={(one) => labels.get(one) ?? one}
            marked={marked}
            opened={opened}
            onOpen={open}
            max={shown}
          />
        </div>
        {shown < rows && (
          <button type="button" onClick={() => setShown(shown + STEP)}>
            Show {Math.min(STEP, rows - shown)} more of {rows.toLocaleString("en-US")}
          </button>
        )}
        {more && <p class="quiet small">Only the first {MAX_NODES.toLocaleString("en-US")} nodes are drawn.</p>}
      </Panel>
      {opened !== undefined && (
        <Conversation tree={id} node={opened} end={branchEnd(outline, opened)} onOpen={open} />
      )}
    </div>
  );
}

function TreeFacts({ tree, leaves }: { tree: Tree; leaves: number }) {
  return (
    <span class="record-facts small">
      {tree.state !== "active" && <Badge tone="warn">{tree.state}</Badge>}
      <span class="quiet">
        {tree.nodes.toLocaleString("en-US")} nodes, {leaves.toLocaleString("en-US")} {leaves === 1 ? "end" : "ends"}
      </span>
      {tree.claims.map((claim) => (
        <Badge key={claim.owner_id}>
          <Foreign text={claim.owner_id} max={40} />
        </Badge>
      ))}
      <span class="quiet">
        changed <When at={tree.updated_at} />
      </span>
    </span>
  );
}
