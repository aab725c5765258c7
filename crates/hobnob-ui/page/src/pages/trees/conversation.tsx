// The conversation from the root of a tree to a node, as messages to read.
// A node never changes, so a conversation is read once.

import { useEffect, useRef } from "preact/hooks";
import { type Tone, visible } from "../../format.ts";
import { Badge, CopyButton, Foreign, Loading, Panel, When } from "../../ui/index.ts";
import { useLoaded } from "../memory_and_others/loading.ts";
import { RecordsProblem } from "../memory_and_others/problem.tsx";
import { MAX_MESSAGES, type Node, readPath } from "./tools.ts";

type Props = {
  tree: string;
  node: string;
  /** Where this branch ends. */
  end: string;
  onOpen: (node: string) => void;
};

export function Conversation({ tree, node, end, onOpen }: Props) {
  const { value, problem, again } = useLoaded(`${tree} ${node}`, 0, (stop) => readPath(tree, node, stop));
  return (
    <Panel title="Conversation" side={end !== node && <button type="button" onClick={() => onOpen(end)}>Read on to the end</button>}>
      {problem !== undefined && <RecordsProblem problem={problem} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="the conversation" />}
      {value !== undefined && (
        <>
          <Messages key={node} nodes={value.items} />
          {value.more && <p class="quiet small">Only the first {MAX_MESSAGES.toLocaleString("en-US")} messages are shown.</p>}
        </>
      )}
    </Panel>
  );
}

/** Messages in a frame of their own, which begins at the last one: the others lead up to it. */
function Messages({ nodes }: { nodes: readonly Node[] }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.scrollTo({ top: frame.current.scrollHeight }), []);
  return (
    <div class="tree-conversation-frame" ref={frame} role="region" aria-label="Messages" tabIndex={0}>
      <ol class="tree-conversation">
        {nodes.map((one) => (
          <Message key={one.node_id} node={one} />
        ))}
      </ol>
    </div>
  );
}

function Message({ node }: { node: Node }) {
  return (
    <li class="tree-message">
      <header>
        <Badge tone={toneOf(node.role)}>
          <Foreign text={node.role ?? "elsewhere"} max={40} />
        </Badge>
        <span class="quiet small">
          <When at={node.created_at} />
        </span>
        {node.content !== undefined && node.content !== "" && <CopyButton text={node.content} />}
      </header>
      {node.content !== undefined && node.content !== "" && <p class="record-prose">{visible(node.content)}</p>}
      {node.content === "" && <p class="quiet">nothing is said here</p>}
      {node.handle !== undefined && (
        <p>
          <Foreign text={node.handle.source} max={100} />: <Foreign text={node.handle.identifier} max={500} />
        </p>
      )}
    </li>
  );
}

function toneOf(role: string | undefined): Tone {
  switch (role) {
    case "user":
      return "info";
    case "assistant":
      return "good";
    case "tool":
      return "warn";
    default:
      return "quiet";
  }
}
