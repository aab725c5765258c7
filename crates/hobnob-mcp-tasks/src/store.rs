//! The port through which tasks outlive the process. Whoever builds a server may bring one.
//!
//! `Tasks` saves a task before a caller learns what it says. One process runs a task; all that
//! share a store may read it.

mod serde_form;

use hobnob_mcp_engine::{BoxFuture, TaskOwner, TaskStatus};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// Where tasks outlive the process.
///
/// Writes of one task come one after the other, each when the one before has ended.
pub trait TaskStore: Send + Sync + 'static {
    /// The name of this process among all that share the store. No other process ever has it,
    /// before or after.
    fn instance(&self) -> &str;

    /// Whether the process of this name may still write. A `false` is for ever: what that process
    /// left unfinished counts as failed from then on.
    fn is_alive<'a>(&'a self, instance: &'a str) -> BoxFuture<'a, Result<bool, TaskStoreError>>;

    /// Inserts a task, or replaces the one with its id. It is durable when this ends.
    fn save(&self, task: PersistedTask) -> BoxFuture<'_, Result<(), TaskStoreError>>;

    /// The task with this id, expired or not.
    fn load<'a>(
        &'a self,
        id: &'a str,
    ) -> BoxFuture<'a, Result<Option<PersistedTask>, TaskStoreError>>;

    /// At most `limit` tasks of an owner that come after an id in the order of their bytes, without
    /// those that had expired at `now`. Nobody reads their `detail`, which may be left out.
    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<&'a str>,
        limit: usize,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<PersistedTask>, TaskStoreError>>;

    /// Removes a task, if it is there.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>>;

    /// Removes all tasks that had expired at `now`, of every owner.
    fn sweep(&self, now: SystemTime) -> BoxFuture<'_, Result<(), TaskStoreError>>;
}

/// Why a store failed. It goes to the log; callers do not see the cause.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct TaskStoreError(Box<dyn std::error::Error + Send + Sync>);

impl TaskStoreError {
    /// Wraps what went wrong, which may be an error or a text.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A task as a store holds it, with times to the millisecond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersistedTask {
    /// The id from the wire, which nobody can guess.
    pub id: Box<str>,
    /// Who may ask about it.
    #[serde(with = "serde_form::owner")]
    pub owner: TaskOwner,
    /// The process that runs it, or ran it.
    pub instance: Box<str>,
    /// The tool whose call it is.
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
    /// How long after `created` it expires.
    #[serde(rename = "ttlMs", with = "serde_form::milliseconds")]
    pub ttl: Duration,
    /// JSON text: its questions while it waits for answers, its result or its error once it has
    /// ended. It may be as large as a result may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<str>>,
}

impl PersistedTask {
    /// When it expires; `None` if that is too far off to be represented.
    pub fn expires(&self) -> Option<SystemTime> {
        self.created.checked_add(self.ttl)
    }

    /// Whether nobody may ask about it any more.
    pub fn is_expired(&self, now: SystemTime) -> bool {
        self.expires().is_some_and(|end| end <= now)
    }
}
