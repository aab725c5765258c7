// Single values: times, durations, sizes, words with a tone, and text that was chosen elsewhere.

import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { bytesText, durationText, outcomeText, outcomeTone, type Tone, visible, whenText } from "../format.ts";
import { clock } from "./clock.ts";

/** A time relative to now, with the exact one as its title. */
export function When({ at }: { at: string | null | undefined }) {
  const millis = at ? Date.parse(at) : Number.NaN;
  const text = useMemo(() => computed(() => whenText(millis, clock.value)), [millis]);
  if (Number.isNaN(millis)) return <span class="quiet">–</span>;
  return (
    <time dateTime={new Date(millis).toISOString()} title={new Date(millis).toLocaleString()}>
      {text}
    </time>
  );
}

/** A time of day, for lists in which every line counts. */
export function TimeOfDay({ at }: { at: string }) {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span class="quiet">–</span>;
  return (
    <time dateTime={date.toISOString()} title={date.toLocaleString()}>
      {date.toTimeString().slice(0, 8)}
    </time>
  );
}

export function Duration({ us }: { us: number | null | undefined }) {
  if (us === null || us === undefined) return <span class="quiet">–</span>;
  return <span title={`${us.toLocaleString("en-US")} µs`}>{durationText(us)}</span>;
}

export function Bytes({ bytes }: { bytes: number | null | undefined }) {
  if (bytes === null || bytes === undefined) return <span class="quiet">–</span>;
  return <span title={`${bytes.toLocaleString("en-US")} bytes`}>{bytesText(bytes)}</span>;
}

export function Badge({ tone = "quiet", children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Outcome({ outcome, code }: { outcome: string; code?: number | null | undefined }) {
  return <Badge tone={outcomeTone(outcome)}>{outcomeText(outcome, code)}</Badge>;
}

/** Text of a server, a client or a model, on one line, with hidden characters made visible. */
export function Foreign({ text, max = 300 }: { text: string | null | undefined; max?: number }) {
  if (!text) return <span class="quiet">–</span>;
  const shown = visible(text);
  return (
    <span class="foreign" title={shown.length > 40 ? shown.slice(0, 2000) : undefined}>
      {shown.length > max ? `${shown.slice(0, max)}…` : shown}
    </span>
  );
}

/** A block of foreign text, as it is but for characters that hide or reorder text. */
export function Text({ text, label }: { text: string; label?: string }) {
  return (
    <pre class="text" tabIndex={0} role="group" aria-label={label ?? "Text"}>
      {visible(text.replaceAll("\r\n", "\n"))}
    </pre>
  );
}

/** Names and values in two columns. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren] | null)[] }) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
