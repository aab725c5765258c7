// The question before something is taken back. It shows what was clicked, as it was then, and the
// request names exactly that: what changed meanwhile stays as it is.

import { useEffect, useState } from "preact/hooks";
import { ApiError, errorText, post } from "../../api.ts";
import { visible } from "../../format.ts";
import { Confirm, ErrorNote, Loading } from "../../ui/index.ts";
import { Effects } from "./effects.tsx";
import type { Asked, Changed, Preview } from "./types.ts";

type Props = { asked: Asked; onClose: () => void; onDone: (words: string) => void; onChanged: () => void };

export function TakeBack({ asked, onClose, onDone, onChanged }: Props) {
  // The effect of a rule comes first: it moves the buttons, and has to be seen.
  const [seen, setSeen] = useState(asked.body.what !== "rule");
  const perform = async () => {
    try {
      const done = await post<Changed>("/ui/api/rules/take-back", asked.body);
      onDone([`Taken back: ${done.text}`, ...done.notes].join("; "));
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) onChanged();
      throw error;
    }
  };
  return (
    <Confirm title={asked.title} action={asked.action} ready={seen} onYes={perform} onClose={onClose}>
      <pre class="text" tabIndex={0} role="group" aria-label="What is taken back">
        {visible(asked.text)}
      </pre>
      {asked.body.what === "rule" && <RuleEffects number={asked.body.number} digest={asked.body.digest} onShown={() => setSeen(true)} />}
      <p>{asked.consequence}</p>
    </Confirm>
  );
}

/** What would decide without the rule. */
function RuleEffects({ number, digest, onShown }: { number: number; digest: string; onShown: () => void }) {
  const [preview, setPreview] = useState<Preview | string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    post<Preview>("/ui/api/rules/preview", { what: "remove", number, digest }, stop.signal).then(setPreview, (error: unknown) => {
      if (!stop.signal.aborted) setPreview(errorText(error));
    });
    return () => stop.abort();
  }, [number, digest]);
  const shown = preview !== null && typeof preview !== "string";
  useEffect(() => {
    if (shown) onShown();
  }, [shown]);
  if (preview === null) return <Loading what="what would change" />;
  if (typeof preview === "string") return <ErrorNote message={preview} />;
  return <Effects preview={preview} />;
}
