//! The port `TaskRepository`: each method is one transaction.
//!
//! Nothing is decided here; the sibling files do the work.

use super::rows::{TextDetail, find, loaded};
use super::work::TaskWork;
use super::{change, claims, graph, query};
use crate::error::TransactionFailure;
use crate::quota;
use crate::store::PostgresStore;
use crate::transaction::{Scope, in_transaction};
use hobnob_store::cursors::ListOwner;
use hobnob_store::memory::{Page, PageRequest, UsageCount};
use hobnob_store::tasks::{
    NewTask, StoredTask, TaskAccess, TaskEdit, TaskError, TaskEvent, TaskFilter, TaskId,
    TaskRepository, Worker,
};
use hobnob_store::{StoreError, StoreFuture, StoredKind};
use std::time::Duration;

/// Reads an owner's tasks.
macro_rules! reading {
    ($store:expr, $access:expr, |$work:ident| $done:expr) => {
        Box::pin(async move {
            in_transaction!($store, Scope::read(&$access.owner), |transaction| {
                let $work = TaskWork::new(&transaction, &$access);
                $done
            })
        })
    };
}

/// Changes an owner's tasks, one change at a time.
macro_rules! writing {
    ($store:expr, $access:expr, |$work:ident| $done:expr) => {
        Box::pin(async move {
            let scope = Scope::write(&$access.owner).locked("tasks", $access.owner.as_str());
            in_transaction!($store, scope, |transaction| {
                let $work = TaskWork::to_write(&transaction, &$access).await?;
                $done
            })
        })
    };
}

impl TaskRepository for PostgresStore {
    fn create(
        &self,
        access: TaskAccess,
        new: NewTask,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        writing!(self, access, |work| {
            let records = (work.owner(), StoredKind::Tasks);
            quota::check(work.transaction, &self.quotas(), records, 1).await?;
            change::create(&work, new.clone()).await
        })
    }

    fn get(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        reading!(self, access, |work| find(&work, &id).await.map(|found| found.task))
    }

    fn list(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTask>, TaskError>> {
        Box::pin(async move {
            let of = ListOwner { owner: access.owner.clone(), list: "tasks" };
            let page = self.open_cursor::<TaskError>(&of, page).await?;
            let part = in_transaction!(self, Scope::read(&access.owner), |transaction| {
                query::list(&TaskWork::new(&transaction, &access), &filter, &page).await
            });
            self.seal_cursor(&of, part).await
        })
    }

    fn update(
        &self,
        access: TaskAccess,
        id: TaskId,
        edit: TaskEdit,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        writing!(self, access, |work| change::update(&work, &id, edit.clone()).await)
    }

    fn delete(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        writing!(self, access, |work| change::delete(&work, &id).await)
    }

    fn add_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        writing!(self, access, |work| change::add_blocker(&work, &id, &blocker).await)
    }

    fn remove_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        writing!(self, access, |work| change::remove_blocker(&work, &id, &blocker).await)
    }

    fn blockers(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, TaskError>> {
        reading!(self, access, |work| {
            let task = find(&work, &id).await?;
            let numbers = graph::blockers(&work, task.number).await?;
            Ok(loaded(&work, &numbers, TextDetail::Cut).await?)
        })
    }

    fn ready(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, StoreError>> {
        reading!(self, access, |work| {
            let numbers = query::ready(&work, &filter, limit).await?;
            Ok::<_, TransactionFailure>(loaded(&work, &numbers, TextDetail::Cut).await?)
        })
    }

    fn claim(
        &self,
        access: TaskAccess,
        which: Option<TaskId>,
        filter: TaskFilter,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<Option<StoredTask>, TaskError>> {
        Box::pin(async move {
            let (scope, owner) = (Scope::write(&access.owner), access.owner.as_str());
            let scope = match (&which, &filter.contains) {
                (None, None) => scope.shared("tasks", owner),
                (Some(_), _) | (_, Some(_)) => scope.locked("tasks", owner),
            };
            in_transaction!(self, scope, |transaction| {
                let work = TaskWork::to_write(&transaction, &access).await?;
                match &which {
                    Some(id) => {
                        let found = find(&work, id).await?;
                        claims::claim(&work, found, worker.clone(), lease).await.map(Some)
                    }
                    None => claims::claim_first(&work, &filter, worker.clone(), lease).await,
                }
            })
        })
    }

    fn renew(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        writing!(self, access, |work| claims::renew(&work, &id, worker.clone(), lease).await)
    }

    fn release(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        writing!(self, access, |work| claims::release(&work, &id, worker.clone()).await)
    }

    fn history(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<TaskEvent>, TaskError>> {
        reading!(self, access, |work| claims::history(&work, &id).await)
    }

    fn ids(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TaskId>, StoreError>> {
        reading!(self, access, |work| Ok::<_, TransactionFailure>(
            query::ids(&work, &prefix, limit).await?
        ))
    }

    fn lists(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>> {
        reading!(self, access, |work| Ok::<_, TransactionFailure>(
            query::lists(&work, &prefix, limit).await?
        ))
    }
}
