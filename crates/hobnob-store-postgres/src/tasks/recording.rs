//! How writes of tasks begin, and how they record what happened.
//!
//! A write first ends the owner's expired leases, so that writers see plain statuses. Every change
//! of a task writes its history and the change feed in one transaction.

use super::graph;
use super::rows::{NumberedTask, add_event, numbered, save};
use super::work::TaskWork;
use crate::change_log;
use crate::columns::{number, text};
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::values;
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::tasks::{
    StoredTask, StoredTaskStatus, TaskAccess, TaskAction, TaskEvent, TaskId, life,
};

/// The event detail for a lease that expired.
pub(super) const LEASE_ENDED: &str = "lease ended";

impl<'a> TaskWork<'a> {
    /// Begins a write: first releases claims whose lease has expired.
    pub(super) async fn to_write(
        transaction: &'a Transaction,
        access: &'a TaskAccess,
    ) -> Result<Self> {
        let work = Self::new(transaction, access);
        work.end_leases().await?;
        Ok(work)
    }

    /// Writes a changed task and its event, and records the changes of all affected tasks.
    pub(super) async fn record(
        &self,
        before: NumberedTask,
        mut after: StoredTask,
        event: &TaskEvent,
    ) -> Result<StoredTask> {
        after.updated = event.at;
        save(self, before.number, &after).await?;
        add_event(self, before.number, event).await?;
        self.record_change(&after).await?;
        if before.task.parent != after.parent {
            self.record_parent_change(&before.task).await?;
        }
        let completed = |task: &StoredTask| task.status == StoredTaskStatus::Completed;
        if completed(&before.task) != completed(&after) {
            for (list, id) in graph::waiting(self, before.number).await? {
                self.record_one_change(list, id).await?;
            }
        }
        Ok(after)
    }

    /// Records a change of a task, and of the task that it is a part of.
    pub(super) async fn record_change(&self, task: &StoredTask) -> Result<()> {
        let (list, id) = (task.list.as_str().to_owned(), task.id.as_str().to_owned());
        self.record_one_change(list, id).await?;
        self.record_parent_change(task).await
    }

    async fn record_parent_change(&self, task: &StoredTask) -> Result<()> {
        let Some(parent) = &task.parent else { return Ok(()) };
        match self.list_of(parent).await? {
            Some(list) => self.record_one_change(list, parent.as_str().to_owned()).await,
            None => Ok(()),
        }
    }

    async fn list_of(&self, id: &TaskId) -> Result<Option<String>> {
        let sql = "SELECT list FROM tasks WHERE id = $1";
        self.transaction.first(sql, values![id.as_str()], |row| text(row, 0)).await
    }

    async fn record_one_change(&self, list: String, id: String) -> Result<()> {
        let what = ChangedRecord::Task { list, id };
        let change = RecordChange { owner: self.access.owner.clone(), what };
        change_log::record_change(self.transaction, &change).await
    }

    async fn end_leases(&self) -> Result<()> {
        let sql = "SELECT number FROM tasks WHERE owner = $1 AND lease <= $2 ORDER BY number \
                   FOR NO KEY UPDATE SKIP LOCKED";
        let over =
            self.transaction.all(sql, values![self.owner(), self.now()], |row| number(row, 0));
        for number in over.await? {
            let before = numbered(self, number).await?;
            let mut after = before.task.clone();
            if let Some(claim) = life::lapse(&mut after, self.now()) {
                let worker = Some(claim.worker);
                let detail = Some(LEASE_ENDED.to_owned());
                let event =
                    TaskEvent { at: claim.until, worker, action: TaskAction::Released, detail };
                self.record(before, after, &event).await?;
            }
        }
        Ok(())
    }
}
