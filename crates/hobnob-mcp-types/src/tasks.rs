//! Tasks as in 2025-11-25: the requesting side asks for one, and either side may run one.
//!
//! The later extension ([`crate::tasks_ext`]) changed the shape. The two do not mix on the wire,
//! but they share the task's states and the parameters that name a task.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::choice::open_enum;

open_enum! {
    /// The state of a task. The last three are final.
    pub enum TaskStatus {
        /// The receiver is working on the request.
        Working = "working",
        /// The receiver waits for answers from the side that asked for the task.
        InputRequired = "input_required",
        /// Done; the result is available, even if it reports a failure.
        Completed = "completed",
        /// Ended by a protocol error.
        Failed = "failed",
        /// Cancelled on request of a client, or by the side that ran the task.
        Cancelled = "cancelled",
    }
}

impl TaskStatus {
    /// Whether the state can never change again.
    pub fn is_final(&self) -> bool {
        match self {
            Self::Completed | Self::Failed | Self::Cancelled => true,
            Self::Working | Self::InputRequired | Self::Other(_) => false,
        }
    }
}

/// Asks to run a request as a task: the `task` key of its parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskMetadata {
    /// How many milliseconds the receiver should keep the task.
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
    /// The id, chosen by the side that runs the task.
    pub task_id: String,
    /// The state the task is in now.
    pub status: TaskStatus,
    /// Details about the status, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// When the task began, as an ISO 8601 text.
    pub created_at: String,
    /// When its status last changed, as an ISO 8601 text.
    pub last_updated_at: String,
    /// How many milliseconds after its beginning the task is kept; `null` means for ever.
    #[serde(default)]
    pub ttl: Option<u64>,
    /// How many milliseconds to wait between two polls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval: Option<u64>,
    /// Metadata for the receiver, where the task is the whole message.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

/// The answer to a request that became a task: `CreateTaskResult` in 2025-11-25, where the task is
/// a member. The extension uses the same name for a flat shape,
/// [`crate::tasks_ext::CreateTaskResult`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LegacyCreateTaskResult {
    /// The new task, with the id to poll it under.
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
