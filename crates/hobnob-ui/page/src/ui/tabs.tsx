// Tabs after the ARIA pattern: arrow keys move, one panel is shown.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";

export type Tab = { id: string; title: string; count?: number; view: () => ComponentChildren };

type Props = {
  label: string;
  tabs: readonly Tab[];
  first?: string;
  /** The name under which the chosen tab outlives the component. */
  remember?: string;
};

const chosenTabs = new Map<string, string>();

export function Tabs({ label, tabs, first, remember }: Props) {
  const [chosen, setChosenState] = useState(() => (remember === undefined ? undefined : chosenTabs.get(remember)) ?? first ?? tabs[0]?.id);
  const setChosen = (id: string) => {
    if (remember !== undefined) chosenTabs.set(remember, id);
    setChosenState(id);
  };
  const base = useId();
  const open = tabs.find((tab) => tab.id === chosen) ?? tabs[0];
  if (!open) return null;
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const index = tabs.indexOf(open);
    const steps: Record<string, number> = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs[(step + tabs.length) % tabs.length];
    if (!next) return;
    setChosen(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab === open}
            aria-controls={tab === open ? `${base}-panel` : undefined}
            tabIndex={tab === open ? 0 : -1}
            onClick={() => setChosen(tab.id)}
          >
            {tab.title}
            {tab.count !== undefined && <span class="count">{tab.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${open.id}`} tabIndex={0} key={open.id}>
        {open.view()}
      </div>
    </div>
  );
}
