// A definition as lines that a difference can compare: long texts break where they have line ends.

/**
 * Breaks a line of JSON after every `\n` inside a string. The escape stays, so that a real line end
 * and two letters that look like one are told apart.
 */
export function definitionLines(json: string): string {
  return json.replaceAll(/\\(\\|n)/g, (escape, letter: string) => (letter === "n" ? "\\n\n" : escape));
}
