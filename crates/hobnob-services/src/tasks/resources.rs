//! Tasks as resources: what is ready, whole lists, single tasks; and what completes their names.
//!
//! Their addresses are those that `addresses` announces after a change.

use super::addresses::{list_template, ready_uri, task_template};
use super::service::PresentedTasks;
use super::views::{Shown, ShownStep, TaskPage};
use crate::handler::with;
use hobnob_mcp_server::toolbox::{Context, Kit, KitError, Matched, ToolError, Typing};
use hobnob_mcp_types::resources::{Resource, ResourceContents, ResourceTemplate};
use hobnob_store::memory::{Page, PageRequest};
use hobnob_store::tasks::{ListName, StoredTask, TaskAccess, TaskError, TaskFilter, TaskId};
use serde::Serialize;

/// Tasks in one resource.
const MAX_TASKS: usize = 500;
/// Suggestions at once: one more than a client is shown, so that it learns of more.
const MAX_SUGGESTED: usize = 101;
const JSON: &str = "application/json";

/// The kit with all resources in it.
pub(super) fn with_resources(kit: Kit, presented: &PresentedTasks) -> Result<Kit, KitError> {
    let ready = Resource::new(ready_uri(&presented.presentation), "Ready tasks")
        .with_description("What can be begun now, most important first")
        .with_mime_type(JSON);
    let (list, task) =
        (list_template(&presented.presentation), task_template(&presented.presentation));
    let lists = template(&list, "Tasks of a list", "The tasks of one list, oldest first");
    let tasks = template(&task, "A task", "One task with its parts and its history");
    let here = presented.clone();
    kit.resource(ready, move |context| read_ready(here.clone(), context))?
        .template(lists, with(presented, read_list))?
        .template(tasks, with(presented, read_task))?
        .complete_template(&list, "list", with(presented, list_names))?
        .complete_template(&task, "id", with(presented, ids))
}

/// Names of lists, as far as one is typed.
pub(super) async fn list_names(
    presented: PresentedTasks,
    typing: Typing,
    context: Context,
) -> Result<Vec<String>, ToolError> {
    let lists = presented
        .tasks()
        .lists(PresentedTasks::access(&context), typing.value, MAX_SUGGESTED)
        .await;
    let lists = lists.map_err(|error| presented.broken(&error))?;
    Ok(lists.into_iter().map(|list| list.word).collect())
}

async fn ids(
    presented: PresentedTasks,
    typing: Typing,
    context: Context,
) -> Result<Vec<String>, ToolError> {
    let ids =
        presented.tasks().ids(PresentedTasks::access(&context), typing.value, MAX_SUGGESTED).await;
    let ids = ids.map_err(|error| presented.broken(&error))?;
    Ok(ids.iter().map(TaskId::to_string).collect())
}

async fn read_ready(
    presented: PresentedTasks,
    context: Context,
) -> Result<ResourceContents, ToolError> {
    let list = Some(presented.service.list.clone());
    let filter = TaskFilter { list, ..TaskFilter::default() };
    let tasks = presented.tasks().ready(PresentedTasks::access(&context), filter, MAX_TASKS).await;
    let tasks = tasks.map_err(|error| presented.broken(&error))?;
    contents(&presented, &ready_uri(&presented.presentation), &TaskPage::of(&tasks))
}

async fn read_list(
    presented: PresentedTasks,
    matched: Matched,
    context: Context,
) -> Result<ResourceContents, ToolError> {
    let list = Some(ListName::new(matched.get("list")));
    let filter = TaskFilter { list, ..TaskFilter::default() };
    let part = page(&presented, PresentedTasks::access(&context), filter).await?;
    contents(&presented, &matched.uri, &TaskPage::page(&part))
}

#[derive(Debug, Serialize)]
struct TaskWithHistory<'a> {
    task: Shown<'a>,
    children: Vec<Shown<'a>>,
    history: Vec<ShownStep<'a>>,
}

async fn read_task(
    presented: PresentedTasks,
    matched: Matched,
    context: Context,
) -> Result<ResourceContents, ToolError> {
    let (id, access) = (TaskId::given(matched.get("id")), PresentedTasks::access(&context));
    let missing = |error| match error {
        TaskError::NotFound(_) => ToolError::no_resource(matched.uri.as_str()),
        error => presented.refused(error),
    };
    let task = presented.tasks().get(access.clone(), id.clone()).await.map_err(missing)?;
    let history = presented.tasks().history(access.clone(), id).await.map_err(missing)?;
    let parent = Some(task.id.clone());
    let children = page(&presented, access, TaskFilter { parent, ..TaskFilter::default() }).await?;
    let whole = TaskWithHistory {
        task: Shown::of(&task),
        children: children.items.iter().map(Shown::of).collect(),
        history: history.iter().map(ShownStep::of).collect(),
    };
    contents(&presented, &matched.uri, &whole)
}

async fn page(
    presented: &PresentedTasks,
    access: TaskAccess,
    filter: TaskFilter,
) -> Result<Page<StoredTask>, ToolError> {
    let page = PageRequest { after: None, limit: MAX_TASKS };
    presented.tasks().list(access, filter, page).await.map_err(|error| presented.refused(error))
}

fn contents(
    presented: &PresentedTasks,
    uri: &str,
    data: &impl Serialize,
) -> Result<ResourceContents, ToolError> {
    let json = serde_json::to_string(data).map_err(|error| {
        tracing::error!(%error, "a resource cannot be written as JSON");
        presented.invalid("the resource cannot be written")
    })?;
    Ok(ResourceContents::text(uri, JSON, json))
}

fn template(uri: &str, name: &str, description: &str) -> ResourceTemplate {
    ResourceTemplate {
        description: Some(description.into()),
        mime_type: Some(JSON.into()),
        ..ResourceTemplate::new(uri, name)
    }
}
