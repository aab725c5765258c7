// Numbers, times and sizes as people read them. Pure; the views' components add exact titles.

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** `512 B`, `1.2 kB`, `3.4 MB` (powers of 1000). */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (999.5 <= value && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return unit === 0 || 100 <= value ? `${Math.round(value)} ${UNITS[unit]}` : `${value.toFixed(1)} ${UNITS[unit]}`;
}

/** `840 µs`, `12 ms`, `1.4 s`, `2 min 5 s`, `3 h 4 min`, `2 d 3 h`. */
export function durationText(us: number): string {
  if (us < 999.5) return `${Math.round(us)} µs`;
  const ms = us / 1000;
  if (ms < 9.95) return `${ms.toFixed(1)} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return two(Math.floor(whole / 60), "min", whole % 60, "s");
  const minutes = Math.floor(whole / 60);
  if (minutes < 24 * 60) return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.floor(minutes / 60);
  return two(Math.floor(hours / 24), "d", hours % 24, "h");
}

function two(large: number, unit: string, small: number, smaller: string): string {
  return small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smaller}`;
}

/** `now`, `5 s ago`, `3 min ago`, `2 h ago`, `4 d ago`, later the date; `in 5 min` for the future. */
export function whenText(at: number, now: number): string {
  const seconds = Math.round((now - at) / 1000);
  const ahead = seconds < 0;
  const away = Math.abs(seconds);
  if (away < 2) return "now";
  if (14 * 86_400 <= away) return new Date(at).toISOString().slice(0, 10);
  const text =
    away < 60
      ? `${away} s`
      : away < 3600
        ? `${Math.floor(away / 60)} min`
        : away < 86_400
          ? `${Math.floor(away / 3600)} h`
          : `${Math.floor(away / 86_400)} d`;
  return ahead ? `in ${text}` : `${text} ago`;
}

/** `1,234`; `12.3k` and `4.5M` from ten thousand. */
export function countText(count: number): string {
  if (count < 10_000) return Math.round(count).toLocaleString("en-US");
  if (count < 999_500) return `${(count / 1000).toFixed(count < 100_000 ? 1 : 0)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

/** A rough count of a model's tokens in JSON or English text: four characters each. */
export function tokenEstimate(chars: number): number {
  return Math.ceil(chars / 4);
}

/** The outcome's word, whichever way its parts are joined: `tool_error` and `tool-error` are one. */
export function outcomeText(outcome: string, code?: number | null): string {
  const words = outcome.replaceAll("_", " ").replaceAll("-", " ");
  return code === null || code === undefined ? words : `${words} ${code}`;
}

export type Tone = "good" | "bad" | "warn" | "quiet" | "info";

export function outcomeTone(outcome: string): Tone {
  switch (outcome.replaceAll("_", "-")) {
    case "ok":
      return "good";
    case "cancelled":
    case "refused":
    case "timeout":
      return "warn";
    case "begun":
      return "quiet";
    default:
      return "bad";
  }
}

/** The first `max` characters and an ellipsis, without cutting a character in half. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1);
  const last = cut.charCodeAt(cut.length - 1);
  return `${0xd800 <= last && last < 0xdc00 ? cut.slice(0, -1) : cut}…`;
}

const HAZARDS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e03ff}]/gu;

/**
 * Shows characters that hide or reorder text as `\u{…}`, so that what a person approves
 * is what they read.
 */
export function visible(text: string): string {
  return text.replace(HAZARDS, (hazard) => `\\u{${hazard.codePointAt(0)?.toString(16) ?? ""}}`);
}
