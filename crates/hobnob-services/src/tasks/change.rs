//! The tools that create, change and delete tasks, and set which tasks block which.
//!
//! Arguments are checked here; the store refuses cycles and changes of claimed tasks.

use super::service::{MAX_BLOCKERS, OneTask, PresentedTasks, TaskCall};
use super::views::{CreatedTask, Shown};
use crate::presentation::ToolResult;
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
    #[schemars(description = "Task description")]
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

pub(super) async fn create(arguments: Create, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let blockers = arguments.blockers.unwrap_or_default();
    if MAX_BLOCKERS < blockers.len() {
        let message = format!("blockers: {}, at most {MAX_BLOCKERS}", blockers.len());
        return Err(presented.invalid(message));
    }
    let new = NewTask {
        list: presented.list(arguments.list.as_deref())?,
        description: presented.description(arguments.description)?,
        priority: arguments.priority.map(Priority::from).unwrap_or_default(),
        parent: arguments.parent.map(|id| presented.id(&id)).transpose()?,
        blockers: blockers.iter().map(|id| presented.id(id)).collect::<Result<_, _>>()?,
    };
    let task = presented.tasks().create(PresentedTasks::access(&call), new).await;
    let task = task.map_err(|error| presented.refused(error))?;
    presented.presentation.reply(&CreatedTask::of(&task, &presented.service.list))
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Update {
    #[schemars(description = "Task id")]
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

pub(super) async fn update(arguments: Update, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let id = presented.id(&arguments.id)?;
    let parent = match arguments.parent.as_deref() {
        None => None,
        Some("") => Some(None),
        Some(parent) => Some(Some(presented.id(parent)?)),
    };
    let edit = TaskEdit {
        description: arguments.description.map(|text| presented.description(text)).transpose()?,
        status: arguments.status.map(StoredTaskStatus::from),
        priority: arguments.priority.map(Priority::from),
        parent,
        result: arguments.result.map(|text| presented.result(text)).transpose()?,
        worker: Some(presented.worker(arguments.worker.as_deref(), &call)?),
    };
    let task = presented.tasks().update(PresentedTasks::access(&call), id, edit).await;
    presented.presentation.reply(&Shown::of(&task.map_err(|error| presented.refused(error))?))
}

#[derive(Debug, Serialize)]
struct Deleted<'a> {
    id: &'a str,
    deleted: bool,
}

pub(super) async fn delete(arguments: OneTask, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let id = presented.id(&arguments.id)?;
    let task = presented.tasks().delete(PresentedTasks::access(&call), id).await;
    let task = task.map_err(|error| presented.refused(error))?;
    presented.presentation.reply(&Deleted { id: task.id.as_str(), deleted: true })
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Pair {
    /// Id of the task that waits
    id: String,
    /// Id of the task that must be completed first
    blocker_id: String,
}

pub(super) async fn add_blocker(arguments: Pair, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let (id, blocker) = (presented.id(&arguments.id)?, presented.id(&arguments.blocker_id)?);
    let (tasks, access) = (presented.tasks(), PresentedTasks::access(&call));
    let task = tasks.get(access.clone(), id.clone()).await;
    let task = task.map_err(|error| presented.refused(error))?;
    if MAX_BLOCKERS <= task.blockers.len() && !task.blockers.contains(&blocker) {
        let message = format!("task {id} waits for {MAX_BLOCKERS} tasks, which is the most");
        return Err(presented.invalid(message));
    }
    let task = tasks.add_blocker(access, id, blocker).await;
    presented.presentation.reply(&Shown::of(&task.map_err(|error| presented.refused(error))?))
}

pub(super) async fn remove_blocker(arguments: Pair, call: TaskCall) -> ToolResult {
    let presented = call.state();
    let (id, blocker) = (presented.id(&arguments.id)?, presented.id(&arguments.blocker_id)?);
    let task = presented.tasks().remove_blocker(PresentedTasks::access(&call), id, blocker).await;
    presented.presentation.reply(&Shown::of(&task.map_err(|error| presented.refused(error))?))
}
