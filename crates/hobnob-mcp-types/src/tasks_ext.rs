//! The tasks extension (for 2026-07-28): the server decides to continue a call as a task.
//!
//! What a task carries depends on its state, so [`TaskState`] holds both, and the flat shape of the
//! wire is written and read by hand. States and task ids come from [`crate::tasks`]; `tasks/get`
//! and `tasks/cancel` take [`crate::tasks::TaskIdParams`], and `tasks/update` and `tasks/cancel`
//! answer with [`crate::result::EmptyResult`].

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::error::RpcError;
use crate::input::InputRequests;
use crate::input_responses::InputResponses;
use crate::result::ResultType;
use crate::tasks::TaskStatus;

/// The name under which both sides declare the extension.
pub const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The answer to a call that goes on as a task.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateTaskResult {
    /// Always [`ResultType::Task`], which tells this result from a complete one.
    pub result_type: ResultType,
    /// The id of the task; must not be guessable.
    pub task_id: String,
    /// The state the task is in now, normally [`TaskStatus::Working`].
    pub status: TaskStatus,
    /// Details about the status, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_message: Option<String>,
    /// When the task began, as an ISO 8601 text.
    pub created_at: String,
    /// When the task last changed, as an ISO 8601 text.
    pub last_updated_at: String,
    /// How many milliseconds the task is kept; `null` means for ever.
    #[serde(default)]
    pub ttl_ms: Option<u64>,
    /// How many milliseconds to wait between two polls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poll_interval_ms: Option<u64>,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}

impl CreateTaskResult {
    /// A task that has just begun.
    pub fn working(task_id: impl Into<String>, created_at: impl Into<String>) -> Self {
        let created_at = created_at.into();
        Self {
            result_type: ResultType::Task,
            task_id: task_id.into(),
            status: TaskStatus::Working,
            status_message: None,
            last_updated_at: created_at.clone(),
            created_at,
            ttl_ms: None,
            poll_interval_ms: None,
            meta: None,
        }
    }
}

/// The state of a task, with the data that belongs to that state.
#[derive(Debug, Clone)]
pub enum TaskState {
    /// The server is working on the call.
    Working,
    /// The server waits for answers to these requests.
    InputRequired(InputRequests),
    /// Done, with the result the call would have had.
    Completed(Box<RawValue>),
    /// Ended by this error.
    Failed(RpcError),
    /// Cancelled on request of a client, or by the server.
    Cancelled,
}

impl TaskState {
    /// The state's name on the wire.
    pub fn status(&self) -> TaskStatus {
        match self {
            Self::Working => TaskStatus::Working,
            Self::InputRequired(_) => TaskStatus::InputRequired,
            Self::Completed(_) => TaskStatus::Completed,
            Self::Failed(_) => TaskStatus::Failed,
            Self::Cancelled => TaskStatus::Cancelled,
        }
    }
}

/// A task with all its data: answers `tasks/get`, and goes with `notifications/tasks`.
#[derive(Debug, Clone)]
pub struct DetailedTask {
    /// How to read this, if it is a result.
    pub result_type: Option<ResultType>,
    /// The id that the answer to the original call named.
    pub task_id: String,
    /// The state the task is in, with what that state carries.
    pub state: TaskState,
    /// Details about the status, for people.
    pub status_message: Option<String>,
    /// When the task began, as an ISO 8601 text.
    pub created_at: String,
    /// When the task last changed, as an ISO 8601 text.
    pub last_updated_at: String,
    /// How many milliseconds the task is kept; `None` means for ever.
    pub ttl_ms: Option<u64>,
    /// How many milliseconds to wait between two polls.
    pub poll_interval_ms: Option<u64>,
    /// Metadata for the receiver.
    pub meta: Option<Box<RawValue>>,
}

/// The flat shape of a [`DetailedTask`] for writing, with the data of all states side by side.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FlatTaskOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<&'a ResultType>,
    task_id: &'a str,
    status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    status_message: Option<&'a str>,
    created_at: &'a str,
    last_updated_at: &'a str,
    ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    poll_interval_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_requests: Option<&'a InputRequests>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a RpcError>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}

impl Serialize for DetailedTask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut flat = FlatTaskOut {
            result_type: self.result_type.as_ref(),
            task_id: &self.task_id,
            status: self.state.status(),
            status_message: self.status_message.as_deref(),
            created_at: &self.created_at,
            last_updated_at: &self.last_updated_at,
            ttl_ms: self.ttl_ms,
            poll_interval_ms: self.poll_interval_ms,
            input_requests: None,
            result: None,
            error: None,
            meta: self.meta.as_deref(),
        };
        match &self.state {
            TaskState::Working | TaskState::Cancelled => {}
            TaskState::InputRequired(requests) => flat.input_requests = Some(requests),
            TaskState::Completed(result) => flat.result = Some(result),
            TaskState::Failed(error) => flat.error = Some(error),
        }
        flat.serialize(serializer)
    }
}

/// The flat shape of a [`DetailedTask`] for reading.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FlatTaskIn {
    result_type: Option<ResultType>,
    task_id: String,
    status: TaskStatus,
    status_message: Option<String>,
    created_at: String,
    last_updated_at: String,
    ttl_ms: Option<u64>,
    poll_interval_ms: Option<u64>,
    input_requests: Option<InputRequests>,
    result: Option<Box<RawValue>>,
    error: Option<RpcError>,
    #[serde(rename = "_meta")]
    meta: Option<Box<RawValue>>,
}

impl<'de> Deserialize<'de> for DetailedTask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let flat = FlatTaskIn::deserialize(deserializer)?;
        let missing = D::Error::missing_field;
        let state = match flat.status {
            TaskStatus::Working => TaskState::Working,
            TaskStatus::InputRequired => TaskState::InputRequired(
                flat.input_requests.ok_or_else(|| missing("inputRequests"))?,
            ),
            TaskStatus::Completed => {
                TaskState::Completed(flat.result.ok_or_else(|| missing("result"))?)
            }
            TaskStatus::Failed => TaskState::Failed(flat.error.ok_or_else(|| missing("error"))?),
            TaskStatus::Cancelled => TaskState::Cancelled,
            TaskStatus::Other(word) => {
                return Err(D::Error::custom(format!("unknown task status `{word}`")));
            }
        };
        Ok(Self {
            result_type: flat.result_type,
            task_id: flat.task_id,
            state,
            status_message: flat.status_message,
            created_at: flat.created_at,
            last_updated_at: flat.last_updated_at,
            ttl_ms: flat.ttl_ms,
            poll_interval_ms: flat.poll_interval_ms,
            meta: flat.meta,
        })
    }
}

/// Parameters of `tasks/update`: answers to the requests of a task.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateTaskParams {
    /// The id of the task that waits for these answers.
    pub task_id: String,
    /// All the answers, or some of them.
    pub input_responses: InputResponses,
    /// Metadata for the receiver.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Box<RawValue>>,
}
