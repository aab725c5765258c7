//! How writes of tasks begin, and how they record what happened.
//!
//! A write first ends the owner's expired leases, so that writers see plain statuses. Every change
//! of a task writes its history and the change feed in one transaction.

use super::graph;
use super::rows::{NumberedTask, add_event, numbered, save};
use super::transaction::TaskTransaction;
use crate::change_log;
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::tasks::{
    StoredTask, StoredTaskStatus, TaskAccess, TaskAction, TaskEvent, TaskId, life,
};
use rusqlite::{Connection, OptionalExtension as _, Result};

/// The event detail for a lease that expired.
pub(super) const LEASE_ENDED: &str = "lease ended";

impl<'a> TaskTransaction<'a> {
    /// Begins a write: first releases claims whose lease has expired.
    pub(super) fn to_write(connection: &'a Connection, access: &'a TaskAccess) -> Result<Self> {
        let transaction = Self { connection, access };
        transaction.end_leases()?;
        Ok(transaction)
    }

    /// Writes a changed task and its event, and records the changes of all affected tasks.
    pub(super) fn record(
        &self,
        before: NumberedTask,
        mut after: StoredTask,
        event: &TaskEvent,
    ) -> Result<StoredTask> {
        after.updated = event.at;
        save(self, before.number, &after)?;
        add_event(self, before.number, event)?;
        self.record_change(&after)?;
        if before.task.parent != after.parent {
            self.record_parent_change(&before.task)?;
        }
        let completed = |task: &StoredTask| task.status == StoredTaskStatus::Completed;
        if completed(&before.task) != completed(&after) {
            for (list, id) in graph::waiting(self, before.number)? {
                self.record_one_change(list, id)?;
            }
        }
        Ok(after)
    }

    /// Records a change of a task, and of the task that it is a part of.
    pub(super) fn record_change(&self, task: &StoredTask) -> Result<()> {
        self.record_one_change(task.list.as_str().to_owned(), task.id.as_str().to_owned())?;
        self.record_parent_change(task)
    }

    fn record_parent_change(&self, task: &StoredTask) -> Result<()> {
        let Some(parent) = &task.parent else { return Ok(()) };
        match self.list_of(parent)? {
            Some(list) => self.record_one_change(list, parent.as_str().to_owned()),
            None => Ok(()),
        }
    }

    fn list_of(&self, id: &TaskId) -> Result<Option<String>> {
        let mut statement =
            self.connection.prepare_cached("SELECT list FROM tasks WHERE id = ?1")?;
        statement.query_row([id.as_str()], |row| row.get(0)).optional()
    }

    fn record_one_change(&self, list: String, id: String) -> Result<()> {
        let what = ChangedRecord::Task { list, id };
        change_log::record_change(
            self.connection,
            &RecordChange { owner: self.access.owner.clone(), what },
        )
    }

    fn end_leases(&self) -> Result<()> {
        let sql = "SELECT number FROM tasks INDEXED BY tasks_by_lease \
                   WHERE owner = ?1 AND lease <= ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let over: Vec<i64> = statement
            .query_map((self.owner(), self.now().millis()), |row| row.get(0))?
            .collect::<Result<_>>()?;
        for number in over {
            let before = numbered(self, number)?;
            let mut after = before.task.clone();
            if let Some(claim) = life::lapse(&mut after, self.now()) {
                let worker = Some(claim.worker);
                let detail = Some(LEASE_ENDED.to_owned());
                let event =
                    TaskEvent { at: claim.until, worker, action: TaskAction::Released, detail };
                self.record(before, after, &event)?;
            }
        }
        Ok(())
    }
}
