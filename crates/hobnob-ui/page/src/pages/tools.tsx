// Tools: found as an assistant finds them, called through a form, with the result rendered.

import { signal } from "@preact/signals";
import { useEffect, useId, useState } from "preact/hooks";
import { canSearch, findTools, listTools, MAX_FOUND } from "../catalog.ts";
import { href, route } from "../router.ts";
import { changes, status } from "../state.ts";
import type { Tool } from "../types.ts";
import { Empty, ErrorNote, Foreign, Loading, Page, SearchField, useFetch } from "../ui/index.ts";
import { AddFirstServer } from "./servers/first.tsx";
import { ToolDetails } from "./tools/details.tsx";
import { filterTools, type Group, grouped, type Listed } from "./tools/listed.ts";
import { moveInList } from "./tools/list_keys.ts";
import "./tools/tools.css";

const TYPING_PAUSE_MS = 250;
const MAX_SHOWN = 200;

const query = signal("");

/** The text once nobody has typed for a moment: a search is a call of its own. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export default function Tools() {
  const name = route.value.rest[0];
  const listed = useFetch("tools", (stop) => listTools(stop), [changes.tools]);
  return (
    <Page title="Tools" about="What your assistants can call, with the same rules for you here.">
      <AddFirstServer />
      <div class={name === undefined ? "two-panes" : "two-panes chosen"}>
        <div class="two-panes-list" onKeyDown={moveInList}>
          <SearchField label="Find tools by what they do" value={query.value} onInput={(value) => (query.value = value)} />
          {listed.error ? (
            <ErrorNote message={listed.error.message} retry={listed.reload} />
          ) : listed.data === null ? (
            <Loading what="the tools" />
          ) : (
            <ToolList tools={listed.data} chosen={name} />
          )}
        </div>
        <div class="two-panes-main">
          {name === undefined ? (
            <Empty title="Choose a tool">Its arguments are shown as a form; you can call it here.</Empty>
          ) : (
            <>
              <p class="narrow-only">
                <a href={href("tools")}>← All tools</a>
              </p>
              <ToolDetails key={name} name={name} listed={listed.data?.find((tool) => tool.name === name) ?? null} ready={listed.data !== null} />
            </>
          )}
        </div>
      </div>
    </Page>
  );
}

function ToolList({ tools, chosen }: { tools: readonly Tool[]; chosen: string | undefined }) {
  const words = useSettled(query.value.trim());
  const searches = canSearch(tools) && words !== "";
  const found = useFetch(
    searches ? `find ${words}` : "",
    async (stop): Promise<Listed[]> => (searches ? (await findTools(words, stop)).map((tool) => ({ name: tool.name, about: tool.description })) : []),
  );
  if (searches && found.error) return <ErrorNote message={found.error.message} retry={found.reload} />;
  if (searches && found.data === null) return <Loading what="what fits" />;
  const shown = searches ? (found.data ?? []) : filterTools(tools, query.value);
  if (shown.length === 0) {
    return words === "" ? (
      <Empty title="No tool is listed">Once a server is ready, its tools appear here.</Empty>
    ) : (
      <Empty title="No tool fits these words">Try others: what the tool does, or a part of its name.</Empty>
    );
  }
  const groups = words === "" ? grouped(shown, status.value?.servers ?? []) : null;
  return (
    <>
      <p class="quiet small" role="status">
        {searches ? `${shown.length} found, best first${shown.length < MAX_FOUND ? "" : "; use more words to find others"}` : words === "" ? `${shown.length} listed` : `${shown.length} of ${tools.length} listed`}
        {canSearch(tools) && !searches && "; a search finds those that are not listed"}
      </p>
      <div class="tool-list">
        {groups === null ? (
          <Items tools={shown} chosen={chosen} />
        ) : (
          groups.map((group) => <ToolGroup key={group.server ?? ""} group={group} chosen={chosen} />)
        )}
      </div>
    </>
  );
}

function ToolGroup({ group, chosen }: { group: Group; chosen: string | undefined }) {
  const { server, tools, unlisted } = group;
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {server === null ? "Hobnob's own tools" : <Foreign text={server} max={64} />}
        <span class="quiet small">{tools.length + unlisted}</span>
      </h2>
      <Items tools={tools} chosen={chosen} />
      {server !== null && unlisted > 0 && <Unlisted key={server} server={server} count={unlisted} chosen={chosen} />}
    </section>
  );
}

/** Tools that the hub does not list, since there are too many: a search finds some of a server's. */
function Unlisted({ server, count, chosen }: { server: string; count: number; chosen: string | undefined }) {
  const [asked, setAsked] = useState(false);
  const found = useFetch(asked ? `tools of ${server}` : "", async (stop): Promise<Listed[] | null> => {
    if (!asked) return null;
    const all = await findTools(server, stop);
    return all.filter((tool) => tool.server === server).map((tool) => ({ name: tool.name, about: tool.description }));
  });
  if (found.error) return <ErrorNote message={found.error.message} retry={found.reload} />;
  if (asked && found.data === null) return <Loading what="some of its tools" />;
  const rest = count - (found.data?.length ?? 0);
  return (
    <>
      {found.data !== null && <Items tools={found.data} chosen={chosen} />}
      {rest > 0 && (
        <p class="quiet small tool-more">
          {rest} {asked ? "more are found by a search." : "of its tools are not listed."}{" "}
          {!asked && (
            <button type="button" class="small" onClick={() => setAsked(true)}>
              Show some<span class="hidden"> of {server}</span>
            </button>
          )}
        </p>
      )}
    </>
  );
}

function Items({ tools, chosen }: { tools: readonly Listed[]; chosen: string | undefined }) {
  const [more, setMore] = useState(1);
  const shown = tools.slice(0, more * MAX_SHOWN);
  return (
    <>
      <ul>
        {shown.map((tool) => (
          <li key={tool.name}>
            <a href={href("tools", tool.name)} data-item aria-current={tool.name === chosen ? "true" : undefined}>
              <span class="mono">
                <Foreign text={tool.name} max={140} />
              </span>
              {tool.about !== "" && (
                <span class="quiet small about">
                  <Foreign text={tool.about} max={140} />
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
      {shown.length < tools.length && (
        <p class="tool-more">
          <button type="button" class="small" onClick={() => setMore(more + 1)}>
            {tools.length - shown.length} more
          </button>
        </p>
      )}
    </>
  );
}
