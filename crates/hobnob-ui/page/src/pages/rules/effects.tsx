// What a change of the rules does to the tools that are known now.

import { Badge, Foreign } from "../../ui/index.ts";
import type { Preview } from "./types.ts";
import { actionWords } from "./words.ts";

export function Effects({ preview }: { preview: Preview }) {
  return (
    <>
      {preview.notes.map((note) => (
        <p key={note} class="quiet">
          <Foreign text={note} max={1000} />
        </p>
      ))}
      {preview.affected === 0 ? (
        <p>No tool that is known now would be decided otherwise.</p>
      ) : (
        <>
          <p>{preview.affected === 1 ? "One tool is decided otherwise:" : `${preview.affected} tools are decided otherwise:`}</p>
          <ul class="rule-effects">
            {preview.effects.map((effect) => (
              <li key={effect.tool}>
                <Foreign text={effect.tool} max={120} />: <Word action={effect.before} /> → <Word action={effect.after} />
              </li>
            ))}
            {preview.effects.length < preview.affected && <li class="quiet">and {preview.affected - preview.effects.length} more</li>}
          </ul>
        </>
      )}
    </>
  );
}

export function Word({ action }: { action: string }) {
  const { title, tone } = actionWords(action);
  return <Badge tone={tone}>{title}</Badge>;
}
