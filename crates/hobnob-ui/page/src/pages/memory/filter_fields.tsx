// The search field of the page of memory and the fields of its filter.

import { changes } from "../../state.ts";
import { SearchField, useRemembered } from "../../ui/index.ts";
import { useLoaded } from "../memory_and_others/loading.ts";
import { type MemoryFilter, NO_FILTER, filterText } from "./filter.ts";
import { readNamespaces } from "./tools.ts";

type Props = {
  query: string;
  filter: MemoryFilter;
  onQuery: (query: string) => void;
  onFilter: (filter: MemoryFilter) => void;
};

const SCOPES = [
  ["", "all"],
  ["project", "this project"],
  ["user", "every project"],
  ["org", "shared"],
] as const;

const SINCE = [
  ["", "any time"],
  ["1d", "a day"],
  ["7d", "a week"],
  ["30d", "30 days"],
  ["1y", "a year"],
] as const;

const STATUSES = ["active", "superseded", "deleted"] as const;

export function FilterFields({ query, filter, onQuery, onFilter }: Props) {
  const [more, setMore] = useRemembered("memory filters", false);
  const set = (part: Partial<MemoryFilter>) => onFilter({ ...filter, ...part });
  const count = filterText(filter) === undefined ? "" : " •";
  return (
    <div class="memory-search">
      <div class="toolbar">
        <SearchField label="Find memories by words or a question" value={query} onInput={onQuery} />
        <button type="button" aria-expanded={more} aria-controls="memory-filter" onClick={() => setMore(!more)}>
          Filters{count}
        </button>
        {filterText(filter) !== undefined && (
          <button type="button" onClick={() => onFilter(NO_FILTER)}>
            Clear
          </button>
        )}
      </div>
      <div id="memory-filter" class="record-fields" hidden={!more}>
        <Namespaces chosen={filter.namespace} onChoose={(namespace) => set({ namespace })} />
        <Select label="Status" value={filter.status} options={STATUSES.map((word) => [word, word] as const)} onChoose={(status) => set({ status })} />
        <Select label="Who can see it" value={filter.scope} options={SCOPES} onChoose={(scope) => set({ scope })} />
        <Select label="Captured within" value={filter.since as (typeof SINCE)[number][0]} options={SINCE} onChoose={(since) => set({ since })} />
        <Words label="With all tags" value={filter.tags} onInput={(tags) => set({ tags })} />
        <Words label="Without tags" value={filter.withoutTags} onInput={(withoutTags) => set({ withoutTags })} />
        <Words label="Source, such as docs/*" value={filter.source} onInput={(source) => set({ source })} />
      </div>
    </div>
  );
}

type SelectProps<Value extends string> = {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChoose: (value: Value) => void;
};

function Select<Value extends string>({ label, value, options, onChoose }: SelectProps<Value>) {
  return (
    <label class="record-field">
      <span>{label}</span>
      <select
        value={value}
        onChange={(event) => {
          const chosen = options.find(([one]) => one === event.currentTarget.value);
          if (chosen !== undefined) onChoose(chosen[0]);
        }}
      >
        {options.map(([one, title]) => (
          <option key={one} value={one}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

function Words({ label, value, onInput }: { label: string; value: string; onInput: (value: string) => void }) {
  return (
    <label class="record-field">
      <span>{label}</span>
      <input value={value} autocomplete="off" spellcheck={false} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}

/** The namespaces in use; those that are empty stay out of the list. */
function Namespaces({ chosen, onChoose }: { chosen: string; onChoose: (name: string) => void }) {
  const { value } = useLoaded("namespaces", changes.memory.value, readNamespaces);
  const used = (value ?? []).filter((one) => one.count > 0 || one.name === chosen);
  const options = used.map((one) => [one.name, `${one.name} (${one.count})`] as const);
  return <Select label="Namespace" value={chosen} options={[["", "all"], ...options]} onChoose={onChoose} />;
}
