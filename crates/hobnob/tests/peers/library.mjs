// The official TypeScript clients, for the scripts beside this one: `sdk` is the 1.x package that most hosts
// embed, `client` its successor that speaks both eras. PEER_HOME is the folder the package is installed in.

import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEER_HOME}/package.json`);

// What the library exports. The 1.x package has a schema for each message, its successor takes names.
export const exportsOf = (library) =>
  library === "sdk"
    ? {
        ...require("@modelcontextprotocol/sdk/client/index.js"),
        ...require("@modelcontextprotocol/sdk/client/stdio.js"),
        ...require("@modelcontextprotocol/sdk/client/streamableHttp.js"),
        ...require("@modelcontextprotocol/sdk/types.js"),
      }
    : {
        ...require("@modelcontextprotocol/client"),
        ...require("@modelcontextprotocol/client/stdio"),
      };

// A client that speaks this era only.
export const newClient = ({ Client }, name, era, capabilities = {}) =>
  new Client(
    { name, version: "1" },
    {
      capabilities,
      versionNegotiation: { mode: era === "modern" ? { pin: "2026-07-28" } : "legacy" },
    },
  );

// The transport to a command or a URL. `wire.revision` is the revision once it is negotiated: the 1.x client
// tells it to its transport only. Without `env` a command gets the few variables that the library passes on.
export function wireTo(library, transport, target, args, options) {
  const { StdioClientTransport, StreamableHTTPClientTransport } = library;
  const wire =
    transport === "stdio"
      ? new StdioClientTransport({ command: target, args, ...options })
      : new StreamableHTTPClientTransport(new URL(target));
  const tell = wire.setProtocolVersion;
  wire.setProtocolVersion = (version) => {
    wire.revision = version;
    tell?.call(wire, version);
  };
  return wire;
}
