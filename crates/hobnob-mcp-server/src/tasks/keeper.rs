//! The port through which task records outlive the process. Whoever builds a server brings one.
//!
//! A record is written before a caller hears of what it says. One process runs a task; all that
//! share a keeper may read its record.

mod form;

use hobnob_mcp_engine::{BoxFuture, TaskOwner, TaskStatus};
use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime};

/// Where task records outlive the process.
///
/// Writes of one record are made one after the other, each when the one before has ended.
pub trait TaskKeeper: Send + Sync + 'static {
    /// The name of this process among all that share what is kept. No other process ever has it,
    /// before or after.
    fn instance(&self) -> &str;

    /// Whether the process of this name may still write. A `false` is for ever: what that process
    /// left unfinished counts as failed from then on.
    fn is_alive<'a>(&'a self, instance: &'a str) -> BoxFuture<'a, Result<bool, KeeperError>>;

    /// Puts a record in, or in the place of the one with its id. It is durable when this ends.
    fn keep(&self, task: KeptTask) -> BoxFuture<'_, Result<(), KeeperError>>;

    /// The record with this id, over or not.
    fn load<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<KeptTask>, KeeperError>>;

    /// The records of an owner that come after an id in the order of their bytes, at most so many,
    /// without those that were over at `now`. Nobody reads their `detail`, which may be left out.
    fn list<'a>(
        &'a self,
        owner: &'a TaskOwner,
        after: Option<&'a str>,
        most: usize,
        now: SystemTime,
    ) -> BoxFuture<'a, Result<Vec<KeptTask>, KeeperError>>;

    /// Takes a record out, if it is there.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), KeeperError>>;

    /// Takes out all records that were over at `now`, whoever's they are.
    fn sweep(&self, now: SystemTime) -> BoxFuture<'_, Result<(), KeeperError>>;
}

/// Why a keeper did not do what it was asked. For the log; no caller is told the cause.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct KeeperError(Box<dyn std::error::Error + Send + Sync>);

impl KeeperError {
    /// For this reason.
    pub fn new(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// A task as it is kept. Its moments are kept to the millisecond.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptTask {
    /// Unguessable.
    pub id: Box<str>,
    /// Who may ask about it.
    #[serde(with = "form::owner")]
    pub owner: TaskOwner,
    /// The process that runs it, or ran it.
    pub instance: Box<str>,
    /// The tool whose call it is.
    pub tool: Box<str>,
    /// Where it is.
    #[serde(with = "form::status")]
    pub status: TaskStatus,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it began.
    #[serde(with = "form::moment")]
    pub created: SystemTime,
    /// When it last changed.
    #[serde(with = "form::moment")]
    pub updated: SystemTime,
    /// How long it is kept from its beginning.
    #[serde(rename = "ttlMs", with = "form::milliseconds")]
    pub ttl: Duration,
    /// JSON text: what it asks while it waits, its result or its error once it has one. It may be
    /// as large as a result may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<str>>,
}

impl KeptTask {
    /// When nobody may ask about it any more; `None` if that is too far off to be told.
    pub fn ends(&self) -> Option<SystemTime> {
        self.created.checked_add(self.ttl)
    }

    /// Whether its time is over.
    pub fn is_over(&self, now: SystemTime) -> bool {
        self.ends().is_some_and(|end| end <= now)
    }
}
