// What a person has entered in the forms of tools, so that it is still there after a look at another
// tool or another part of the page. In memory only, and only for the tools used last.

import type { Draft } from "../../form/draft.ts";

export type Entered = {
  /** The arguments as JSON, where they are entered so. */
  raw: string | null;
  draft: Draft;
};

const MAX_TOOLS = 30;

const forms = new Map<string, Entered>();

export function entered(tool: string): Entered | undefined {
  return forms.get(tool);
}

export function keepEntered(tool: string, what: Entered): void {
  forms.delete(tool);
  forms.set(tool, what);
  const [oldest] = forms.keys();
  if (MAX_TOOLS < forms.size && oldest !== undefined) forms.delete(oldest);
}
