// One call in a line: who called, through what, which server, which tool.

import type { Call } from "../types.ts";
import { Badge, Foreign } from "./values.tsx";

/** `tools/call` is the usual method and is left out. */
export function CallPath({ call, ended = false }: { call: Call; ended?: boolean }) {
  const { client, principal, via, server, target, method } = call;
  return (
    <span class="call-path">
      <span class="quiet">
        <Foreign text={client ?? (principal === "" ? "a client" : principal)} max={40} />
        {client !== null && principal !== "" && (
          <>
            {" "}
            (<Foreign text={principal} max={40} />)
          </>
        )}
        {via !== null && (
          <>
            <Arrow />
            <Foreign text={via} max={40} />
          </>
        )}
        <Arrow />
        {server !== null ? <Foreign text={server} max={60} /> : ended ? "Hobnob" : "…"}
        <Arrow />
      </span>
      <strong>
        <Foreign text={target === "" ? method : target} max={160} />
      </strong>
      {method !== "tools/call" && target !== "" && <Badge>{method}</Badge>}
    </span>
  );
}

function Arrow() {
  return (
    <span class="arrow">
      <span aria-hidden="true"> → </span>
      <span class="hidden"> to </span>
    </span>
  );
}
