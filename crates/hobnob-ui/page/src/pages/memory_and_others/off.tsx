// What a setting has switched off, and the commands that switch it on. A hub reads these settings
// when it starts, so it must be started anew.

import { Command, Empty } from "../../ui/index.ts";

/** The command of a message of the hub: the first in backquotes, or what follows the last colon. */
export function commandIn(message: string): string | undefined {
  return /`(hobnob [^`]+)`/.exec(message)?.[1] ?? /: (hobnob [^`;:]+)$/.exec(message)?.[1];
}

export function Off({ title, command }: { title: string; command: string }) {
  return (
    <Empty title={title}>
      <p>To switch it on, run these at a terminal; a hub reads this setting when it starts:</p>
      {[command, "hobnob stop", "hobnob ui"].map((one) => (
        <p key={one}>
          <Command command={one} />
        </p>
      ))}
    </Empty>
  );
}
