// Dark or light: as the system says, unless a person has chosen; the choice stays in this browser.

import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "hobnob-theme";
const ORDER: readonly Theme[] = ["system", "light", "dark"];

export const theme = signal<Theme>("system");

function show(next: Theme): void {
  theme.value = next;
  if (next === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = next;
}

/** Reads the choice, once, before anything is drawn. */
export function startTheme(): void {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // A browser that keeps nothing shows the system's colours.
  }
  show(ORDER.find((known) => known === kept) ?? "system");
}

export function nextTheme(): void {
  const next = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length] ?? "system";
  show(next);
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // The choice holds until the page is closed.
  }
}

/** The current value of a colour variable such as `--accent`, for a canvas, which knows no variables. */
export function cssColor(variable: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const color = getComputedStyle(probe).color;
  probe.remove();
  return color;
}
