// One task in full: what it says, what it waits for, what may be done with it, what happened to it.

import type { ComponentProps } from "preact";
import { visible } from "../../format.ts";
import { closeDialog, go, href } from "../../router.ts";
import { changes } from "../../state.ts";
import { Badge, Dialog, Facts, Foreign, Loading, When } from "../../ui/index.ts";
import { useLoaded } from "../memory_and_others/loading.ts";
import { RecordsProblem } from "../memory_and_others/problem.tsx";
import { neighbourhood, STATUS_WORDS } from "./board.ts";
import { PriorityBadge } from "./board_view.tsx";
import { DependencyGraph } from "./dependency_graph.tsx";
import { TaskActions } from "./task_actions.tsx";
import { TaskLink } from "./task_link.tsx";
import { readSteps, readTask, type Step, type Task } from "./tools.ts";

type Props = { id: string; all: readonly Task[]; onChanged: () => void };
type Read = { task: Task; steps: Step[] };

async function readAll(id: string, stop: AbortSignal): Promise<Read> {
  const [task, steps] = await Promise.all([readTask(id, stop), readSteps(id, stop)]);
  return { task, steps };
}

export function TaskView({ id, all, onChanged }: Props) {
  const { value, problem, again } = useLoaded(id, changes.tasks.value, (stop) => readAll(id, stop));
  return (
    <Dialog title="Task" onClose={() => closeDialog(href("tasks"))} wide>
      {problem !== undefined && <RecordsProblem problem={problem} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="the task" />}
      {value !== undefined && (
        <>
          <Content task={value.task} all={all} />
          <TaskActions
            task={value.task}
            all={all}
            onChanged={() => {
              again();
              onChanged();
            }}
          />
          <Steps steps={value.steps} />
        </>
      )}
    </Dialog>
  );
}

function Content({ task, all }: { task: Task; all: readonly Task[] }) {
  const graph = neighbourhood(all, task.id);
  return (
    <>
      <p class="record-prose">{visible(task.description)}</p>
      {task.result !== undefined && (
        <section aria-labelledby="task-result">
          <h3 id="task-result">Result</h3>
          <p class="record-prose">{visible(task.result)}</p>
        </section>
      )}
      <Facts facts={facts(task, all)} />
      {graph.edges.length > 0 && (
        <section aria-labelledby="task-dependencies">
          <h3 id="task-dependencies">What it waits for, and what waits for it</h3>
          <DependencyGraph graph={graph} opened={task.id} onOpen={(id) => go(href("tasks", id))} />
        </section>
      )}
    </>
  );
}

function facts(task: Task, all: readonly Task[]): ComponentProps<typeof Facts>["facts"] {
  const parts = all.filter((one) => one.parent === task.id);
  return [
    [
      "Status",
      <span key="status" class="record-badges">
        {STATUS_WORDS[task.status]} {task.ready && <Badge tone="good">ready</Badge>} <PriorityBadge task={task} />
      </span>,
    ],
    ["List", <Foreign key="list" text={task.list} max={200} />],
    task.claimed_by === undefined ? null : ["Claimed by", <Foreign key="worker" text={task.claimed_by} max={200} />],
    task.lease_until === undefined ? null : ["Lease until", <When key="lease" at={task.lease_until} />],
    task.parent === undefined ? null : ["Part of", <TaskLink key="parent" id={task.parent} all={all} />],
    parts.length === 0
      ? null
      : [
          "Parts",
          <ul key="parts" class="task-links">
            {parts.map((part) => (
              <li key={part.id}>
                <TaskLink id={part.id} all={all} />
              </li>
            ))}
          </ul>,
        ],
    ["Created", <When key="created" at={task.created_at} />],
    task.started_at === undefined ? null : ["Started", <When key="started" at={task.started_at} />],
    task.finished_at === undefined ? null : ["Ended", <When key="finished" at={task.finished_at} />],
    ["Id", <code key="id">{task.id}</code>],
  ];
}

function Steps({ steps }: { steps: readonly Step[] }) {
  return (
    <section aria-labelledby="task-history">
      <h3 id="task-history">History</h3>
      <ol class="record-history">
        {[...steps].reverse().map((step, at) => (
          <li key={`${step.at} ${at}`} class="record-step">
            <span class="quiet">
              <When at={step.at} />
            </span>
            <span>{step.action.replaceAll("_", " ")}</span>
            {step.worker !== undefined && <Foreign text={step.worker} max={60} />}
            {step.detail !== undefined && (
              <span class="quiet">
                <Foreign text={step.detail} max={200} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
