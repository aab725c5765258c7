// Texts for SVG, which neither wraps nor cuts them.

import { shorten, visible } from "../format.ts";

/** One line of at most `max` characters, with hidden characters made visible. */
export function fitted(text: string, max: number): string {
  return shorten(visible(text.replace(/\s+/g, " ").trim()), max);
}
