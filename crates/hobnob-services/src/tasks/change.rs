//! Making, changing and removing tasks, and who waits for whom.

use super::service::{Desk, MOST_BLOCKERS, OneTask};
use super::views::{Made, Shown};
use hobnob_mcp_server::toolbox::{Context, ToolError, ToolReply};
use hobnob_store::tasks::{NewTask, Priority, StoredTaskStatus, TaskEdit};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum StatusWord {
    Pending,
    InProgress,
    Completed,
    Failed,
}

impl From<StatusWord> for StoredTaskStatus {
    fn from(word: StatusWord) -> Self {
        match word {
            StatusWord::Pending => Self::Pending,
            StatusWord::InProgress => Self::InProgress,
            StatusWord::Completed => Self::Completed,
            StatusWord::Failed => Self::Failed,
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum PriorityWord {
    Low,
    Normal,
    High,
    Urgent,
}

impl From<PriorityWord> for Priority {
    fn from(word: PriorityWord) -> Self {
        match word {
            PriorityWord::Low => Self::Low,
            PriorityWord::Normal => Self::Normal,
            PriorityWord::High => Self::High,
            PriorityWord::Urgent => Self::Urgent,
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Create {
    /// Task description
    description: String,
    /// How much it matters; normal if not given
    priority: Option<PriorityWord>,
    /// Id of the task it is a part of
    parent: Option<String>,
    /// Ids of the tasks that must be completed first
    blockers: Option<Vec<String>>,
    /// Name of the list it goes on; the project's own if not given
    list: Option<String>,
}

pub(super) async fn create(
    desk: Desk,
    arguments: Create,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let blockers = arguments.blockers.unwrap_or_default();
    if MOST_BLOCKERS < blockers.len() {
        let message = format!("blockers: {}, at most {MOST_BLOCKERS}", blockers.len());
        return Err(desk.invalid(message));
    }
    let new = NewTask {
        list: desk.list(arguments.list.as_deref())?,
        description: desk.description(arguments.description)?,
        priority: arguments.priority.map(Priority::from).unwrap_or_default(),
        parent: arguments.parent.map(|id| desk.id(&id)).transpose()?,
        blockers: blockers.iter().map(|id| desk.id(id)).collect::<Result<_, _>>()?,
    };
    let task = desk.tasks().create(Desk::access(&context), new).await;
    let task = task.map_err(|error| desk.refused(error))?;
    desk.presentation.reply(&Made::of(&task, &desk.service.list))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Update {
    /// Task id
    id: String,
    /// Other words for what is to be done
    description: Option<String>,
    /// Where it is now; what is completed or failed can only go back to pending
    status: Option<StatusWord>,
    /// How much it matters
    priority: Option<PriorityWord>,
    /// Id of the task it is a part of; an empty text makes it part of none
    parent: Option<String>,
    /// What came of it
    result: Option<String>,
    /// Who changes it, your own name if you have claimed it; your client's name if not given
    worker: Option<String>,
}

pub(super) async fn update(
    desk: Desk,
    arguments: Update,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let id = desk.id(&arguments.id)?;
    let parent = match arguments.parent.as_deref() {
        None => None,
        Some("") => Some(None),
        Some(parent) => Some(Some(desk.id(parent)?)),
    };
    let edit = TaskEdit {
        description: arguments.description.map(|text| desk.description(text)).transpose()?,
        status: arguments.status.map(StoredTaskStatus::from),
        priority: arguments.priority.map(Priority::from),
        parent,
        result: arguments.result.map(|text| desk.result(text)).transpose()?,
        worker: Some(desk.worker(arguments.worker.as_deref(), &context)?),
    };
    let task = desk.tasks().update(Desk::access(&context), id, edit).await;
    desk.presentation.reply(&Shown::of(&task.map_err(|error| desk.refused(error))?))
}

#[derive(Debug, Serialize)]
struct Deleted<'a> {
    id: &'a str,
    deleted: bool,
}

pub(super) async fn delete(
    desk: Desk,
    arguments: OneTask,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let id = desk.id(&arguments.id)?;
    let task = desk.tasks().delete(Desk::access(&context), id).await;
    let task = task.map_err(|error| desk.refused(error))?;
    desk.presentation.reply(&Deleted { id: task.id.as_str(), deleted: true })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    /// Id of the task that waits
    id: String,
    /// Id of the task that must be completed first
    blocker_id: String,
}

pub(super) async fn add_blocker(
    desk: Desk,
    arguments: Pair,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let (id, blocker) = (desk.id(&arguments.id)?, desk.id(&arguments.blocker_id)?);
    let (tasks, access) = (desk.tasks(), Desk::access(&context));
    let task = tasks.get(access.clone(), id.clone()).await;
    let task = task.map_err(|error| desk.refused(error))?;
    if MOST_BLOCKERS <= task.blockers.len() && !task.blockers.contains(&blocker) {
        let message = format!("task {id} waits for {MOST_BLOCKERS} tasks, which is the most");
        return Err(desk.invalid(message));
    }
    let task = tasks.add_blocker(access, id, blocker).await;
    desk.presentation.reply(&Shown::of(&task.map_err(|error| desk.refused(error))?))
}

pub(super) async fn remove_blocker(
    desk: Desk,
    arguments: Pair,
    context: Context,
) -> Result<ToolReply, ToolError> {
    let (id, blocker) = (desk.id(&arguments.id)?, desk.id(&arguments.blocker_id)?);
    let task = desk.tasks().remove_blocker(Desk::access(&context), id, blocker).await;
    desk.presentation.reply(&Shown::of(&task.map_err(|error| desk.refused(error))?))
}
