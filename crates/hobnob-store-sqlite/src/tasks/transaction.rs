//! One transaction, one owner and one point in time: the context of every read and write of tasks.
//!
//! Reads begin here; writes begin in `recording.rs`, which also records what happened.

use hobnob_store::Time;
use hobnob_store::tasks::{TaskAccess, TaskAction, TaskEvent, Worker};
use rusqlite::Connection;

/// A transaction and the access it runs with.
pub(super) struct TaskTransaction<'a> {
    pub(super) connection: &'a Connection,
    pub(super) access: &'a TaskAccess,
}

impl<'a> TaskTransaction<'a> {
    /// A read-only transaction; expired leases are still in the rows.
    pub(super) fn to_read(connection: &'a Connection, access: &'a TaskAccess) -> Self {
        Self { connection, access }
    }

    /// The owner whose tasks are visible.
    pub(super) fn owner(&self) -> &'a str {
        self.access.owner.as_str()
    }

    /// The time that leases are compared with.
    pub(super) fn now(&self) -> Time {
        self.access.now
    }

    /// An event at the current time.
    pub(super) fn event(&self, action: TaskAction, worker: Option<Worker>) -> TaskEvent {
        TaskEvent { at: self.now(), worker, action, detail: None }
    }
}
