//! Tasks as 2025-11-25 had them: the asker wishes for one, and either side may run one.
//!
//! The later extension ([`crate::tasks_ext`]) changed the shape; the two do not mix on the wire,
//! but they share the states and the way to name a task.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::choice::open_enum;

open_enum! {
    /// Where a task stands. The last three are final.
    pub enum TaskStatus {
        /// The request is being worked on.
        Working = "working",
        /// The receiver waits for answers of whoever asked for the task.
        InputRequired = "input_required",
        /// Done; the result is there, even if it reports a failure.
        Completed = "completed",
        /// Ended by a protocol error.
        Failed = "failed",
        /// Ended because someone asked.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether the task will never move again.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Working | Self::InputRequired | Self::Other(_) => false,
        }
    }
}

/// The wish to have a request run as a task: the `task` key of its parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskMetadata {
    /// How many milliseconds the task should be kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<u64>,
}

/// The `_meta` entry that ties a message to a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RelatedTask {
    /// The id of the task the message belongs to.
    pub task_id: String,
}

/// A task. Also the answer to `tasks/get` and `tasks/cancel`, and the parameters of
/// `notifications/tasks/status`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Its name, made by whoever runs it.
    pub task_id: String,
    /// The state the task is in now.
    pub status: TaskStatus,
    /// More about that, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// When it began, as an ISO 8601 text.
    pub created_at: String,
    /// When its status last changed, as an ISO 8601 text.
    pub last_updated_at: String,
    /// How many milliseconds after its beginning it is kept; `null` means for good.
    #[serde(default)]
    pub ttl: Option<u64>,
    /// How many milliseconds to wait between two looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<u64>,
    /// Metadata for the receiver, where the task is the whole message.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// The answer to a request that became a task: `CreateTaskResult` in 2025-11-25, where the task
/// is a member. The extension of today has the same name for a flat shape,
/// [`crate::tasks_ext::CreateTaskResult`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LegacyCreateTaskResult {
    /// The task as it begins, with the id to ask for it under.
    pub task: Task,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// Parameters that name one task: `tasks/get`, `tasks/cancel` and, in 2025-11-25 only,
/// `tasks/result`, whose answer is the answer of the request that became the task.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskIdParams {
    /// The id that the answer to the original request named.
    pub task_id: String,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl TaskIdParams {
    /// Parameters with this id and no metadata.
    pub fn new(task_id: impl Into<String>) -> Self {
        Self { task_id: task_id.into(), meta: None }
    }
}

/// The answer to `tasks/list`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListTasksResult {
    /// One page of tasks.
    pub tasks: Vec<Task>,
    /// Where the next page begins; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}
