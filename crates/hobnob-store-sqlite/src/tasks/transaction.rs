//! The context of every read and write of tasks: a connection inside a transaction, the owner and
//! the time. The store begins and ends the transaction.
//!
//! `to_read` makes the context of a read, `to_write` in `recording.rs` that of a write.

use hobnob_store::Time;
use hobnob_store::tasks::{TaskAccess, TaskAction, TaskEvent, Worker};
use rusqlite::Connection;

/// A connection inside a transaction, and the access it is used with.
pub(super) struct TaskTransaction<'a> {
    pub(super) connection: &'a Connection,
    pub(super) access: &'a TaskAccess,
}

impl<'a> TaskTransaction<'a> {
    /// The context of a read. The rows still have expired leases, since only writes remove them.
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
