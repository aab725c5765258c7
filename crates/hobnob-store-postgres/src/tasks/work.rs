//! The context of every read and write of tasks: a transaction, the owner and the time.

use crate::transaction::Transaction;
use hobnob_store::tasks::{TaskAccess, TaskAction, TaskEvent, Worker};
use hobnob_store::{Owner, Time};

/// A transaction and the access it runs with.
pub(super) struct TaskWork<'a> {
    pub(super) transaction: &'a Transaction,
    pub(super) access: &'a TaskAccess,
}

impl<'a> TaskWork<'a> {
    /// The context of a read. The rows still have expired leases, since only writes remove them.
    pub(super) fn new(transaction: &'a Transaction, access: &'a TaskAccess) -> Self {
        Self { transaction, access }
    }

    /// The owner whose tasks are visible.
    pub(super) fn owner(&self) -> &'a Owner {
        &self.access.owner
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
