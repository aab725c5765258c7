// Why a page of records has nothing to show, and what to do next.

import { errorText } from "../../api.ts";
import { Command, ErrorNote } from "../../ui/index.ts";
import { Off } from "./off.tsx";
import { type OwnService, ToolFailure } from "./own_tools.ts";

/** How people call a service that is switched off. */
const TITLES: { [service in OwnService]: string } = {
  memory: "Memory is switched off",
  tasks: "Tasks are switched off",
  arbor: "Trees are switched off",
};

type Props = { problem: unknown; retry?: () => void };

export function RecordsProblem({ problem, retry }: Props) {
  if (problem instanceof ToolFailure && problem.refusal === "off") {
    return <SwitchedOff service={problem.service} />;
  }
  if (problem instanceof ToolFailure && problem.refusal === "asks") {
    return <Asks tool={problem.tool} service={problem.service} />;
  }
  return <ErrorNote message={errorText(problem)} {...(retry ? { retry } : {})} />;
}

/** The rule asks whoever calls; a page that reads again and again cannot ask each time. */
function Asks({ service, tool }: { service: OwnService; tool: string }) {
  return (
    <div class="note warn" role="alert">
      <p>
        A rule asks a person before <code>{`${service}_${tool}`}</code> runs, and this page cannot be asked. To let it
        run here, allow it at a terminal:
      </p>
      <Command command={`hobnob allow ${service}/${tool}`} />
    </div>
  );
}

/** Services are switched in the settings, which a hub reads when it starts. */
function SwitchedOff({ service }: { service: OwnService }) {
  return <Off title={TITLES[service]} command={`hobnob config set services.${service} true`} />;
}
