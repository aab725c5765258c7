// What of a server waits for an approval: its command, if it comes from the project, and its changed
// tools with their differences. What must stay true: the approval is for exactly what is shown.

import { useMemo, useState } from "preact/hooks";
import { ApiError, errorText } from "../../api.ts";
import { visible } from "../../format.ts";
import { lineDiff } from "../../line_diff.ts";
import { changes } from "../../state.ts";
import { DiffLines } from "../../ui/diff_lines.tsx";
import { Badge, Command, ErrorNote, Foreign, Loading, Note, Text, useFetch } from "../../ui/index.ts";
import { approve, type ReviewedServer, type ReviewedTool, readReview } from "./changes.ts";
import { definitionLines } from "./definition_lines.ts";

/** Words for the signs of manipulation that the hub finds. */
const SUSPICIONS: Record<string, string> = {
  "hidden-unicode": "it has invisible characters",
  "bidi-control": "it has characters that reorder text",
  "terminal-control": "it has characters that control terminals",
  "html-comment": "it has comments that a renderer would hide",
  instructions: "it speaks to the model instead of describing the tool",
};

type Props = {
  server: string;
  /** Changes when something else of the server waits than before. */
  occasion: string;
  how: string;
};

export function ServerReviewCards({ server, occasion, how }: Props) {
  const { data, error, reload } = useFetch(`review ${server} ${occasion}`, (stop) => readReview(server, stop), [changes.tools]);
  if (error && data === null) return <ErrorNote message={error.message} retry={reload} />;
  if (data === null) return <Loading what={`what ${server} wants`} />;
  return (
    <>
      {data.problem !== null && (
        <ErrorNote message={data.problem} retry={reload} />
      )}
      {data.server !== null && <ServerCard name={server} server={data.server} how={how} reload={reload} />}
      {data.tools.map((tool) => (
        <ToolCard key={tool.name} server={server} tool={tool} how={how} reload={reload} />
      ))}
      {data.more > 0 && (
        <p class="quiet">
          {data.more} more of its tools wait: they appear when these are approved. At a terminal: <Command command={how} />
        </p>
      )}
    </>
  );
}

function ServerCard({ name, server, how, reload }: { name: string; server: ReviewedServer; how: string; reload: () => void }) {
  return (
    <section class="panel card" aria-label={`Approval: ${name}`}>
      <header>
        <Badge tone="warn">Approval</Badge>
        <h2>
          <Foreign text={name} /> is not started before you approve it
        </h2>
      </header>
      <p>
        The project wants it, in <Foreign text={server.file} max={1000} />. With your rights, Hobnob would start or reach exactly this:
      </p>
      <Text text={server.lines.join("\n")} label={`What ${name} starts`} />
      {server.replaces_yours && <p>It would replace your own server of this name, which is used until then.</p>}
      <Approve server={name} digest={server.digest} words="Approve and start whenever needed" how={how} reload={reload} />
    </section>
  );
}

function ToolCard({ server, tool, how, reload }: { server: string; tool: ReviewedTool; how: string; reload: () => void }) {
  const lines = useMemo(
    () => (tool.before === null || tool.now === null ? null : lineDiff(definitionLines(tool.before), definitionLines(tool.now))),
    [tool],
  );
  const what = `${server}: ${tool.name}`;
  return (
    <section class="panel card" aria-label={`Changed tool: ${what}`}>
      <header>
        <Badge tone="warn">{tool.is_new ? "New tool" : "Changed tool"}</Badge>
        <h2>
          <Foreign text={what} /> {tool.is_new ? "is new since you approved its server" : "is not as you approved it"}
        </h2>
      </header>
      <p>Assistants cannot call it before you approve its definition as it is now.</p>
      {tool.suspicions.length > 0 && (
        <Note tone="warn">
          <span>
            Look closely: {tool.suspicions.map((it) => SUSPICIONS[it] ?? visible(it)).join("; ")}.
          </span>
        </Note>
      )}
      {tool.now === null ? (
        <Note tone="warn">Its definition is too long to be shown here.</Note>
      ) : lines !== null ? (
        <>
          <DiffLines lines={lines} rest="see the whole definition below" />
          <details>
            <summary>The whole definition as it is now</summary>
            <Text text={tool.now} label={`The definition of ${tool.name}`} />
          </details>
        </>
      ) : (
        <>
          {!tool.is_new && <p class="quiet">The approved definition was not kept, so this is the whole new one.</p>}
          <Text text={tool.now} label={`The definition of ${tool.name}`} />
        </>
      )}
      {tool.now === null ? (
        <p class="how">
          At a terminal: <Command command={how} />
        </p>
      ) : (
        <Approve server={server} tool={tool.name} digest={tool.digest} words="Approve this definition" how={how} reload={reload} />
      )}
    </section>
  );
}

type ApproveProps = { server: string; tool?: string; digest: string; words: string; how: string; reload: () => void };

type Sent = { phase: "none" } | { phase: "sending" } | { phase: "approved" } | { phase: "failed"; message: string };

function Approve({ server, tool, digest, words, how, reload }: ApproveProps) {
  const [sent, setSent] = useState<Sent & { digest?: string }>({ phase: "none" });
  const send = async () => {
    setSent({ phase: "sending" });
    try {
      await approve(server, digest, tool);
      setSent({ phase: "approved", digest });
      reload();
    } catch (error) {
      setSent({ phase: "failed", message: errorText(error) });
      // What is shown is old: the person reads the new one before they decide again.
      if (error instanceof ApiError && error.status === 409) reload();
    }
  };
  const approved = sent.phase === "approved" && sent.digest === digest;
  return (
    <>
      {sent.phase === "failed" && <ErrorNote message={sent.message} />}
      <div class="actions">
        <button type="button" class="primary" disabled={sent.phase === "sending" || approved} onClick={() => void send()}>
          {sent.phase === "sending" ? "Approving …" : approved ? "Approved" : words}
          <span class="hidden">: {tool ?? server}</span>
        </button>
        <span class="quiet small">
          or at a terminal: <Command command={how} />
        </span>
      </div>
    </>
  );
}
