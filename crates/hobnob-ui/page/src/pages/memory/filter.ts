// The words of a memory filter: `ns:decisions tag:a,b -tag:c since:7d source:docs/* scope:user`.
//
// The page of memory builds the argument `filter` of memory_recall and memory_list from its
// fields. The grammar is in hobnob-services (memory/grammar.rs): values of one word are joined by
// commas, double quotes keep spaces, and a quote itself cannot be written.

export type MemoryFilter = {
  namespace: string;
  /** Words separated by spaces or commas; all must be there. */
  tags: string;
  withoutTags: string;
  scope: "" | "project" | "user" | "org";
  status: "active" | "superseded" | "deleted";
  /** A span such as 7d, or a date. */
  since: string;
  source: string;
};

export const NO_FILTER: MemoryFilter = {
  namespace: "", tags: "", withoutTags: "", scope: "", status: "active", since: "", source: "",
};

/** The filter as text; undefined if it lets everything active through. */
export function filterText(filter: MemoryFilter): string | undefined {
  const words = [
    ...word("ns", filter.namespace.trim()),
    // Words are combined with "and", so each tag is a word of its own.
    ...list(filter.tags).flatMap((tag) => word("tag", tag)),
    ...list(filter.withoutTags).flatMap((tag) => word("-tag", tag)),
    ...word("scope", filter.scope),
    ...word("status", filter.status === "active" ? "" : filter.status),
    ...word("since", filter.since.trim()),
    ...word("source", filter.source.trim()),
  ];
  return words.length === 0 ? undefined : words.join(" ");
}

function word(key: string, value: string): string[] {
  const plain = value.replaceAll('"', "");
  if (plain === "") return [];
  return [/\s/.test(plain) ? `${key}:"${plain}"` : `${key}:${plain}`];
}

/** The words of a text that separates them by commas or spaces. */
export function list(text: string): string[] {
  return text.split(/[\s,]+/).filter((part) => part !== "");
}
