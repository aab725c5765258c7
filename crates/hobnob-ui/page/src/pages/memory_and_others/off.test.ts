import assert from "node:assert/strict";
import test from "node:test";
import { commandIn } from "./off.tsx";

test("the command of a message is found, and nothing else is taken for one", () => {
  const cases: [string, string | undefined][] = [
    ["usage is off: `hobnob config set usage.enabled true`", "hobnob config set usage.enabled true"],
    ["see `config.toml`, then run `hobnob stop`", "hobnob stop"],
    ["calls are not recorded; to record them: hobnob config set audit.enabled true", "hobnob config set audit.enabled true"],
    ["run hobnob stop", undefined],
    ["`rm -rf /`", undefined],
    ["", undefined],
  ];
  for (const [message, expected] of cases) assert.equal(commandIn(message), expected, message);
});
