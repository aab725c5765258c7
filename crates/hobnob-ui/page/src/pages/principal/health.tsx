// What a principal learns of the hub's health: that it answers, and its version.

import { get } from "../../api.ts";
import { ErrorNote, Facts, Loading, Page, Panel, useFetch } from "../../ui/index.ts";

type Alive = { version: string; ok: boolean };

export default function OwnHealth() {
  const { data, error, reload } = useFetch("alive", (stop) => get<Alive>("/ui/api/health", stop), []);
  return (
    <Page title="Health">
      {error && <ErrorNote message={error.message} retry={reload} />}
      {data === null && !error && <Loading what="the hub's health" />}
      {data !== null && (
        <Panel title="Hub">
          <Facts
            facts={[
              ["State", data.ok ? "It works" : "It has a problem; its owner sees which"],
              ["Version", data.version],
            ]}
          />
        </Panel>
      )}
    </Page>
  );
}
