//! The tools that read tasks: one, lists, ready ones, blockers, history.
//!
//! They change nothing. Texts in lists are shortened; `get` returns one task in full.

use super::change::{PriorityWord, StatusWord};
use super::service::{OneTask, PresentedTasks, TaskCall};
use super::views::{Shown, ShownStep, all_tasks, task_page};
use crate::presentation::ToolResult;
use hobnob_store::memory::PageRequest;
use hobnob_store::tasks::{TaskFilter, Worker};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tasks on a page if the caller sets no limit.
const DEFAULT_PAGE_SIZE: u32 = 50;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// Only tasks with this status
    status: Option<StatusWord>,
    /// Name of the list; the project's own if not given, `*` for all lists
    list: Option<String>,
    /// Only parts of the task with this id
    parent: Option<String>,
    /// Only tasks with this priority
    priority: Option<PriorityWord>,
    /// Only tasks that this worker has claimed
    worker: Option<String>,
    /// Only tasks with this text in their description, in any case
    contains: Option<String>,
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

pub(super) async fn list(arguments: List, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let filter = TaskFilter {
        list: presented.lists(arguments.list.as_deref())?,
        statuses: arguments.status.into_iter().map(Into::into).collect(),
        priorities: arguments.priority.into_iter().map(Into::into).collect(),
        parent: arguments.parent.map(|id| presented.id(&id)).transpose()?,
        worker: arguments.worker.as_deref().map(Worker::new),
        contains: arguments.contains,
    };
    let page = page(arguments.limit, arguments.cursor);
    let part = presented.tasks().list(PresentedTasks::access(&call), filter, page).await;
    presented.presentation.reply(&task_page(&part.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Children {
    #[schemars(description = "Task id")]
    id: String,
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
    /// The `next_cursor` of the answer before, to go on from there
    cursor: Option<String>,
}

pub(super) async fn children(arguments: Children, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let (id, access) = (presented.id(&arguments.id)?, PresentedTasks::access(&call));
    let task = presented.tasks().get(access.clone(), id).await;
    let parent = Some(task.map_err(|error| presented.refused(error))?.id);
    let filter = TaskFilter { parent, ..TaskFilter::default() };
    let part =
        presented.tasks().list(access, filter, page(arguments.limit, arguments.cursor)).await;
    presented.presentation.reply(&task_page(&part.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Ready {
    /// Name of the list; the project's own if not given, `*` for all lists
    list: Option<String>,
    /// Only tasks with this priority
    priority: Option<PriorityWord>,
    /// How many at most; 50 if not given
    #[schemars(range(min = 1, max = 500))]
    limit: Option<u32>,
}

pub(super) async fn ready(arguments: Ready, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let filter = TaskFilter {
        list: presented.lists(arguments.list.as_deref())?,
        priorities: arguments.priority.into_iter().map(Into::into).collect(),
        ..TaskFilter::default()
    };
    let limit = page(arguments.limit, None).limit;
    let tasks = presented.tasks().ready(PresentedTasks::access(&call), filter, limit).await;
    presented.presentation.reply(&all_tasks(&tasks.map_err(|error| presented.store_error(&error))?))
}

pub(super) async fn get(arguments: OneTask, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let task =
        presented.tasks().get(PresentedTasks::access(&call), presented.id(&arguments.id)?).await;
    presented.presentation.reply(&Shown::of(&task.map_err(|error| presented.refused(error))?))
}

pub(super) async fn blockers(arguments: OneTask, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let tasks = presented
        .tasks()
        .blockers(PresentedTasks::access(&call), presented.id(&arguments.id)?)
        .await;
    presented.presentation.reply(&all_tasks(&tasks.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Serialize)]
struct History<'a> {
    id: &'a str,
    steps: Vec<ShownStep<'a>>,
    count: usize,
}

pub(super) async fn history(arguments: OneTask, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let id = presented.id(&arguments.id)?;
    let steps = presented.tasks().history(PresentedTasks::access(&call), id.clone()).await;
    let steps = steps.map_err(|error| presented.refused(error))?;
    let shown: Vec<ShownStep<'_>> = steps.iter().map(ShownStep::of).collect();
    presented.presentation.reply(&History { id: id.as_str(), count: shown.len(), steps: shown })
}

fn page(limit: Option<u32>, cursor: Option<String>) -> PageRequest {
    let limit = usize::try_from(limit.unwrap_or(DEFAULT_PAGE_SIZE)).unwrap_or(usize::MAX);
    PageRequest { after: cursor, limit }
}
