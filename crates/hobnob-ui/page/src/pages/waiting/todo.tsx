// Something that a person does at a terminal: what, why, and the exact command.

import type { ComponentChildren } from "preact";
import { Badge, Command, Foreign, Text } from "../../ui/index.ts";

type Props = {
  kind: string;
  name: string;
  words: string;
  /** A command of somebody else, to be read before it is approved. */
  text?: string;
  how: string;
  children: ComponentChildren;
};

export function TodoCard({ kind, name, words, text, how, children }: Props) {
  return (
    <section class="panel card" aria-label={`${kind}: ${name}`}>
      <header>
        <Badge tone="warn">{kind}</Badge>
        <h2>
          <Foreign text={name} /> {children}
        </h2>
      </header>
      {words !== "" && (
        <p>
          <Foreign text={words} max={2000} />
        </p>
      )}
      {text !== undefined && <Text text={text} label={`The command of ${name}`} />}
      <p class="how">
        At a terminal: <Command command={how} />
      </p>
    </section>
  );
}
