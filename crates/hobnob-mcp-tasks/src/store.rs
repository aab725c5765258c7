//! The port through which tasks outlive the process. A program may give its server a store.
//!
//! `Tasks` saves each new phase of a task before its callers see it; if that fails, the task still
//! continues in memory. One process runs a task; all processes that share the store may read it.

mod serde_form;

use hobnob_mcp_engine::{BoxFuture, TaskOwner, TaskStatus};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// Stores tasks so that they outlive the process.
///
/// Writes of one task are sequential: each begins after the previous one has ended.
pub trait TaskStore: Send + Sync + 'static {
    /// The name of this process among all processes that share the store. It must be unique for
    /// ever: no earlier or later process may have it.
    fn instance(&self) -> &str;

    /// Whether the process with this name may still write. `false` is final: the tasks that this
    /// process left unfinished count as failed from then on.
    fn is_alive<'a>(&'a self, instance: &'a str) -> BoxFuture<'a, Result<bool, TaskStoreError>>;

    /// Inserts or replaces the task with this id; durable when the future completes.
    fn save(&self, task: PersistedTask) -> BoxFuture<'_, Result<(), TaskStoreError>>;

    /// Loads the task with this id, expired or not.
    fn load<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<PersistedTask>, TaskStoreError>>;

    /// At most `limit` tasks of an owner whose ids come after `after` in byte order, without those
    /// that had expired at `now`. Their `detail` is not used and may be left out.
    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<&'a str>,
        limit: usize,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<PersistedTask>, TaskStoreError>>;

    /// Removes a task, if it is there.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>>;

    /// Removes the tasks of all owners that had expired at `now`.
    fn sweep(&self, now: SystemTime) -> BoxFuture<'_, Result<(), TaskStoreError>>;
}

/// Why a store failed. The cause goes to the log; callers do not see it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TaskStoreError(Box<dyn std::error::Error + Send + Sync>);

impl TaskStoreError {
    /// Wraps a cause, which may be an error or a text.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A task in its stored form, with times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersistedTask {
    /// The id on the wire, a random token.
    pub id: Box<str>,
    /// The owner, who may ask about the task.
    #[serde(with = "serde_form::owner")]
    pub owner: TaskOwner,
    /// The process that runs it, or ran it.
    pub instance: Box<str>,
    /// The tool that was called.
    pub tool: Box<str>,
    /// Whether it runs, waits for answers or has ended.
    #[serde(with = "serde_form::status")]
    pub status: TaskStatus,
    /// The `statusMessage` that its owner sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the call that started it came; `ttl` counts from here.
    #[serde(with = "serde_form::moment")]
    pub created: SystemTime,
    /// When it last changed.
    #[serde(with = "serde_form::moment")]
    pub updated: SystemTime,
    /// How long after `created` the task expires.
    #[serde(rename = "ttlMs", with = "serde_form::milliseconds")]
    pub ttl: Duration,
    /// JSON text: the questions of a waiting task, or the result or error of an ended one. It may
    /// be as large as a result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<str>>,
}

impl PersistedTask {
    /// When the task expires; `None` if that time cannot be represented.
    pub fn expires(&self) -> Option<SystemTime> {
        self.created.checked_add(self.ttl)
    }

    /// Whether the task has expired, so that nothing may show it any more.
    pub fn is_expired(&self, now: SystemTime) -> bool {
        self.expires().is_some_and(|end| end <= now)
    }
}
