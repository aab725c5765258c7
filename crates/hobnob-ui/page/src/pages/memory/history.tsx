// The versions of a memory, newest first. An earlier one can be used again.

import { visible } from "../../format.ts";
import { Badge, Foreign, When } from "../../ui/index.ts";
import { isWhole, type Version } from "./tools.ts";

type Props = { versions: readonly Version[]; busy: boolean; onUse?: (version: Version) => void };

export function History({ versions, busy, onUse }: Props) {
  const newest = versions.at(-1);
  return (
    <section aria-labelledby="memory-history">
      <h3 id="memory-history">History</h3>
      <ol class="record-history" reversed>
        {[...versions].reverse().map((version) => (
          <li key={version.version}>
            <details>
              <summary>
                <span class="record-step">
                  <span>
                    {version.version}. <Foreign text={version.action} max={40} />
                  </span>
                  {version.status !== "active" && <Badge tone="warn">{version.status}</Badge>}
                  <span class="quiet">
                    <When at={version.at} />
                  </span>
                </span>
              </summary>
              <p class="quiet small">
                <Foreign text={[version.namespace, ...version.tags].join(" · ")} />
              </p>
              <p class="record-prose">{visible(version.content)}</p>
              {onUse !== undefined && version !== newest && isWhole(version) && (
                <button type="button" disabled={busy} onClick={() => onUse(version)}>
                  Use this version again
                </button>
              )}
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
