// JSON text for reading: broken into lines without changing one token, since numbers, escapes and
// the order of members are what will be sent. Pure.

const HAZARDS = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

/** Characters that hide or reorder text become JSON's own `\uXXXX`: the text means the same. */
export function visibleJson(text: string): string {
  return text.replace(HAZARDS, (hazard) =>
    Array.from({ length: hazard.length }, (_, index) => `\\u${hazard.charCodeAt(index).toString(16).padStart(4, "0")}`).join(""),
  );
}

/** The tokens of JSON, or `null` for a text that is none: that text is shown as it is. */
function tokens(text: string): string[] | null {
  try {
    JSON.parse(text);
  } catch {
    return null;
  }
  return text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g) ?? [];
}

export function prettyJson(text: string): string {
  const all = tokens(text);
  if (all === null) return visibleJson(text);
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(Math.min(depth, 40))}`;
  all.forEach((token, index) => {
    const next = all[index + 1];
    if (token === "{" || token === "[") {
      depth += 1;
      out += token + (next === "}" || next === "]" ? "" : line());
    } else if (token === "}" || token === "]") {
      depth -= 1;
      const before = all[index - 1];
      out += (before === "{" || before === "[" ? "" : line()) + token;
    } else if (token === ",") out += token + line();
    else if (token === ":") out += ": ";
    else out += token;
  });
  return visibleJson(out);
}

/** A value that this page made or decoded, as readable JSON. */
export function showJson(value: unknown): string {
  return visibleJson(JSON.stringify(value, null, 2) ?? "");
}
