// Tasks: a board by status, what waits for what as a drawing, and one task in full.
// Everything goes through the task tools, so claims, rules and owners hold as for every client.

import { href, openDialog, route } from "../router.ts";
import { changes } from "../state.ts";
import { Empty, Loading, Page, SearchField, Tabs, useRemembered } from "../ui/index.ts";
import { useLoaded } from "./memory_and_others/loading.ts";
import { RecordsProblem } from "./memory_and_others/problem.tsx";
import { useSettled } from "./memory_and_others/settled.ts";
import { Board } from "./tasks/board_view.tsx";
import { dependencies } from "./tasks/board.ts";
import { DependencyGraph } from "./tasks/dependency_graph.tsx";
import { NewTask } from "./tasks/new_task.tsx";
import { TaskView } from "./tasks/task_view.tsx";
import { listTasks, MAX_TASKS, type Task, type TaskFilter } from "./tasks/tools.ts";
import "./memory_and_others/split.css";
import "./tasks/tasks.css";

export default function Tasks() {
  const [contains, setContains] = useRemembered("tasks words", "");
  const [lists, setLists] = useRemembered<TaskFilter["lists"]>("tasks lists", "all");
  const settled = useSettled(contains);
  const { value, problem, again } = useLoaded(`${lists} ${settled}`, changes.tasks.value, (stop) =>
    listTasks({ lists, contains: settled }, stop),
  );
  const [opened] = route.value.rest;
  const open = (id: string) => openDialog(href("tasks", id));
  return (
    <Page title="Tasks" about="What has to be done, what it waits for, and who works on it.">
      <div class="toolbar">
        <SearchField label="Find tasks by their words" value={contains} onInput={setContains} />
        <label class="task-toolbar-field">
          <span>List</span>
          <select
            value={lists}
            onChange={(event) => setLists(event.currentTarget.value === "project" ? "project" : "all")}
          >
            <option value="all">all lists</option>
            <option value="project">this project's</option>
          </select>
        </label>
        <NewTask onCreated={again} />
      </div>
      {problem !== undefined && <RecordsProblem problem={problem} retry={again} />}
      {value === undefined && problem === undefined && <Loading what="tasks" />}
      {opened !== undefined && <TaskView key={opened} id={opened} all={value?.items ?? []} onChanged={again} />}
      {value !== undefined && (
        <>
          {value.more && <p class="quiet small">Only the oldest {MAX_TASKS.toLocaleString("en-US")} tasks are shown: search to see others.</p>}
          <Views tasks={value.items} opened={opened} onOpen={open} filtered={settled.trim() !== ""} />
        </>
      )}
    </Page>
  );
}

type ViewsProps = { tasks: readonly Task[]; opened: string | undefined; onOpen: (id: string) => void; filtered: boolean };

function Views({ tasks, opened, onOpen, filtered }: ViewsProps) {
  if (tasks.length === 0) {
    return filtered ? (
      <Empty title="No task has these words">Search for others, or look in all lists.</Empty>
    ) : (
      <Empty title="There are no tasks">
        Say “write down what has to be done as tasks” to your assistant, or run{" "}
        <code>hobnob tasks add "Design the export format"</code>.
      </Empty>
    );
  }
  return (
    <Tabs
      label="Views of the tasks"
      remember="tasks view"
      tabs={[
        { id: "board", title: "Board", view: () => <Board tasks={tasks} opened={opened} onOpen={onOpen} /> },
        { id: "graph", title: "Dependencies", view: () => <AllDependencies tasks={tasks} opened={opened} onOpen={onOpen} /> },
      ]}
    />
  );
}

function AllDependencies({ tasks, opened, onOpen }: Omit<ViewsProps, "filtered">) {
  const [shown, setShown] = useRemembered<"open" | "all">("tasks shown", "open");
  const graph = dependencies(tasks, shown);
  return (
    <>
      <label class="record-check">
        <input
          type="checkbox"
          checked={shown === "all"}
          onChange={(event) => setShown(event.currentTarget.checked ? "all" : "open")}
        />
        Also completed and failed tasks
      </label>
      {graph.tasks.length === 0 ? (
        <Empty title="No task waits for another">A task that waits for others is drawn here, to the right of them.</Empty>
      ) : (
        <DependencyGraph graph={graph} opened={opened} onOpen={onOpen} />
      )}
    </>
  );
}
