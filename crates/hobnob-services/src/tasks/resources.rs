//! Tasks as resources: ready tasks, whole lists, single tasks; and the completion of their names.
//!
//! Their URIs are those that `addresses` makes for change notifications.

use super::addresses::{list_template, ready_uri, task_template};
use super::service::{OneTask, PresentedTasks, TaskCall};
use super::views::{Shown, ShownStep, all_tasks, task_page};
use crate::presentation::{JSON, Presentation};
use hobnob_mcp_toolbox::{CompletionRequest, KitBuilder, ResourceSpec, ToolError};
use hobnob_mcp_types::resources::ResourceContents;
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::tasks::{ListName, StoredTask, TaskAccess, TaskError, TaskFilter, TaskId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most tasks in one resource.
const MAX_TASKS: usize = 500;
/// Suggestions at once: one more than a client is shown, so that it learns of more.
const MAX_SUGGESTED: usize = 101;

/// Adds all resources to the kit.
pub(super) fn with_resources(
    kit: KitBuilder<PresentedTasks>,
    presentation: &Presentation,
) -> KitBuilder<PresentedTasks> {
    let json = |name: &str, about: &str| ResourceSpec::new(name).description(about).mime_type(JSON);
    let (list, task) = (list_template(presentation), task_template(presentation));
    let ready = json("Ready tasks", "What can be begun now, most important first");
    let lists = json("Tasks of a list", "The tasks of one list, oldest first");
    let tasks = json("A task", "One task with its parts and its history");
    kit.resource(ready_uri(presentation), ready, read_ready)
        .template(list.as_str(), lists, read_list)
        .template(task.as_str(), tasks, read_task)
        .complete(list, "list", list_names)
        .complete(task, "id", ids)
}

/// Names of lists with the typed prefix.
pub(super) async fn list_names(
    typed: CompletionRequest,
    call: TaskCall,
) -> Result<Vec<String>, ToolError> {
    let presented = call.state();
    let lists =
        presented.tasks().lists(PresentedTasks::access(&call), typed.value, MAX_SUGGESTED).await;
    let lists = lists.map_err(|error| presented.store_error(&error))?;
    Ok(lists.into_iter().map(|list| list.word).collect())
}

async fn ids(typed: CompletionRequest, call: TaskCall) -> Result<Vec<String>, ToolError> {
    let presented = call.state();
    let ids =
        presented.tasks().ids(PresentedTasks::access(&call), typed.value, MAX_SUGGESTED).await;
    let ids = ids.map_err(|error| presented.store_error(&error))?;
    Ok(ids.iter().map(TaskId::to_string).collect())
}

async fn read_ready(call: TaskCall) -> Result<ResourceContents, ToolError> {
    let presented = call.state();
    let list = Some(presented.service.list.clone());
    let filter = TaskFilter { list, ..TaskFilter::default() };
    let tasks = presented.tasks().ready(PresentedTasks::access(&call), filter, MAX_TASKS).await;
    let tasks = tasks.map_err(|error| presented.store_error(&error))?;
    presented.presentation.contents(&ready_uri(&presented.presentation), &all_tasks(&tasks))
}

#[derive(Deserialize, JsonSchema)]
struct ByList {
    /// Name of the list
    list: String,
}

async fn read_list(wanted: ByList, call: TaskCall) -> Result<ResourceContents, ToolError> {
    let presented = call.state();
    let list = Some(ListName::new(&wanted.list));
    let filter = TaskFilter { list, ..TaskFilter::default() };
    let part = page(presented, PresentedTasks::access(&call), filter).await?;
    presented.presentation.contents(call.name(), &task_page(&part))
}

#[derive(Debug, Serialize)]
struct TaskWithHistory<'a> {
    task: Shown<'a>,
    children: Vec<Shown<'a>>,
    history: Vec<ShownStep<'a>>,
}

async fn read_task(wanted: OneTask, call: TaskCall) -> Result<ResourceContents, ToolError> {
    let presented = call.state();
    let (id, access) = (TaskId::given(&wanted.id), PresentedTasks::access(&call));
    let missing = |error| match error {
        TaskError::NotFound(_) => ToolError::no_resource(call.name()),
        error => presented.refused(error),
    };
    let task = presented.tasks().get(access.clone(), id.clone()).await.map_err(missing)?;
    let history = presented.tasks().history(access.clone(), id).await.map_err(missing)?;
    let parent = Some(task.id.clone());
    let children = page(presented, access, TaskFilter { parent, ..TaskFilter::default() }).await?;
    let whole = TaskWithHistory {
        task: Shown::of(&task),
        children: children.items.iter().map(Shown::of).collect(),
        history: history.iter().map(ShownStep::of).collect(),
    };
    presented.presentation.contents(call.name(), &whole)
}

async fn page(
    presented: &PresentedTasks,
    access: TaskAccess,
    filter: TaskFilter,
) -> Result<Page<StoredTask>, ToolError> {
    let page = PageRequest { after: None, limit: MAX_TASKS };
    presented.tasks().list(access, filter, page).await.map_err(|error| presented.refused(error))
}
