// Tools: found as an assistant finds them, called through a form, with the result rendered.

import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { canSearch, findTools, listTools } from "../catalog.ts";
import { href, route } from "../router.ts";
import { changes } from "../state.ts";
import type { Tool } from "../types.ts";
import { Empty, ErrorNote, Foreign, Loading, Page, SearchField, useFetch } from "../ui/index.ts";
import { ToolDetails } from "./tools/details.tsx";
import { filterTools, type Listed } from "./tools/listed.ts";

const TYPING_PAUSE_MS = 250;
const MAX_SHOWN = 300;

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
      <div class={name === undefined ? "two-panes" : "two-panes chosen"}>
        <div class="two-panes-list">
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
  return (
    <>
      <p class="quiet small" role="status">
        {searches ? `${shown.length} found, best first` : words === "" ? `${shown.length} listed` : `${shown.length} of ${tools.length} listed`}
        {canSearch(tools) && !searches && "; a search finds those that are not listed"}
      </p>
      <ul class="tool-list">
        {shown.slice(0, MAX_SHOWN).map((tool) => (
          <li key={tool.name}>
            <a href={href("tools", tool.name)} aria-current={tool.name === chosen ? "true" : undefined}>
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
      {MAX_SHOWN < shown.length && <p class="quiet small">{shown.length - MAX_SHOWN} more: search for them.</p>}
    </>
  );
}
