//! One transaction, one owner and one moment: what every reader and writer of tasks holds.
//!
//! Readers begin here; writers begin in `recording.rs`, which also writes what happened.

use hobnob_store::Time;
use hobnob_store::tasks::{TaskAccess, TaskAction, TaskEvent, Worker};
use rusqlite::Connection;

/// A transaction and whose tasks it is about.
pub(super) struct TaskTransaction<'a> {
    pub(super) connection: &'a Connection,
    pub(super) access: &'a TaskAccess,
}

impl<'a> TaskTransaction<'a> {
    /// For reading; leases that are over still have to be looked past.
    pub(super) fn to_read(connection: &'a Connection, access: &'a TaskAccess) -> Self {
        Self { connection, access }
    }

    /// The owner whose tasks are seen.
    pub(super) fn owner(&self) -> &'a str {
        self.access.owner.as_str()
    }

    /// The time that leases are compared with.
    pub(super) fn now(&self) -> Time {
        self.access.now
    }

    /// Something that happens now.
    pub(super) fn event(&self, action: TaskAction, worker: Option<Worker>) -> TaskEvent {
        TaskEvent { at: self.now(), worker, action, detail: None }
    }
}
