//! A task in the form that its owner may see. The server's handlers of `tasks/*` and its listens
//! write it for their callers.
//!
//! A view also waits for changes: a task of this process announces them, and for a task of another
//! process [`RunBy::changed`] only sleeps for the poll interval.

use crate::detail::{self, Detail};
use crate::end::{TaskEnd, modern_reader};
use crate::store::PersistedTask;
use hobnob_mcp_engine::{CallError, Refusable, TaskRecord, downgrade_result};
use hobnob_mcp_types::input::InputRequests;
use hobnob_mcp_types::json::ObjectWriter;
use hobnob_mcp_types::{Method, Revision};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The `pollInterval` of every task.
pub(crate) const POLL: Duration = Duration::from_millis(500);

/// A task in the form that its owner may see, no matter which process runs it.
pub struct TaskView {
    /// The part that every answer about the task contains.
    pub record: TaskRecord,
    /// The questions that the task waits for.
    pub open: Option<InputRequests>,
    /// Whether the task must be told when a question stays unanswered.
    pub refusable: Refusable,
    /// The end, if the task has ended.
    pub end: Option<Arc<TaskEnd>>,
    /// Which process runs or ran the task.
    pub run_by: RunBy,
}

/// The process that runs or ran a task.
pub enum RunBy {
    /// This process; the receiver counts the task's changes.
    ThisProcess(watch::Receiver<u64>),
    /// Another process; only the record in the store is known.
    AnotherProcess,
}

impl RunBy {
    /// Whether answers given to this process reach the task.
    pub fn takes_answers(&self) -> bool {
        matches!(self, Self::ThisProcess(_))
    }

    /// Waits until the task may have changed; `None` if the task is gone.
    pub async fn changed(&mut self) -> Option<()> {
        match self {
            Self::ThisProcess(changes) => changes.changed().await.ok(),
            Self::AnotherProcess => {
                tokio::time::sleep(POLL).await;
                Some(())
            }
        }
    }
}

impl TaskView {
    /// Makes the view of a task that another process runs or ran.
    pub(crate) fn from_store(task: PersistedTask) -> Result<Self, serde_json::Error> {
        let (open, end) = match detail::read(task.status, task.detail.as_deref())? {
            Detail::None => (None, None),
            Detail::Questions(open) => (Some(open), None),
            Detail::End(end) => (None, Some(Arc::new(end))),
        };
        let refusable = Refusable::No;
        Ok(Self { record: record(task), open, refusable, end, run_by: RunBy::AnotherProcess })
    }

    /// Writes the task in the extension's form, with its questions, its result or its error.
    pub fn write_modern(&self, object: &mut ObjectWriter<'_>) {
        self.record.write_modern(object);
        if let Some(open) = &self.open {
            object.raw("inputRequests", &serde_json::to_string(open).unwrap_or_default());
        }
        match self.end.as_deref() {
            Some(TaskEnd::Answer(answer)) => {
                let newest = Revision::NEWEST;
                let body = downgrade_result(Method::ToolsCall, &answer.body, answer.floor, newest);
                let mut result = ObjectWriter::new(object.key("result"));
                result.members_of(&body);
                if let Some(meta) = &answer.meta {
                    result.raw("_meta", meta.get());
                }
                result.end();
            }
            Some(end) => {
                if let Some(error) = end.error(&modern_reader()) {
                    object.raw("error", &serde_json::to_string(&error).unwrap_or_default());
                }
            }
            None => {}
        }
    }
}

/// The error for a task that is unknown, expired or another owner's. Callers cannot tell which.
pub fn no_task(id: &str) -> CallError {
    CallError::params(format!("no task `{id}`: it is unknown or has expired"))
}

/// The record of a stored task.
pub(crate) fn record(task: PersistedTask) -> TaskRecord {
    TaskRecord {
        id: task.id,
        status: task.status,
        message: task.message,
        created: task.created,
        updated: task.updated,
        ttl: task.ttl,
        poll: POLL,
    }
}
