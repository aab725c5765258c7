//! The port `TaskRepository`: each method is one transaction on the store's threads.
//!
//! Nothing is decided here; the sibling files do the work.

use super::rows::{TextDetail, find, loaded};
use super::transaction::TaskTransaction;
use super::{change, claims, graph, query};
use crate::SqliteStore;
use crate::convert::WorkError;
use hobnob_store::cursors::ListOwner;
use hobnob_store::memory::{Page, PageRequest, UsageCount};
use hobnob_store::tasks::{
    NewTask, StoredTask, TaskAccess, TaskEdit, TaskError, TaskEvent, TaskFilter, TaskId,
    TaskRepository, Worker,
};
use hobnob_store::{NewRecords, StoreError, StoreFuture, StoredKind};
use rusqlite::Connection;
use std::time::Duration;

/// Work that reads an owner's tasks, as work on a connection.
fn reading<T: 'static, E: 'static>(
    access: TaskAccess,
    work: impl FnOnce(&TaskTransaction<'_>) -> Result<T, WorkError<E>> + Send + 'static,
) -> impl FnOnce(&Connection) -> Result<T, WorkError<E>> + Send + 'static {
    move |connection| work(&TaskTransaction::to_read(connection, &access))
}

/// Work that changes an owner's tasks, as work on a connection.
fn writing<T: 'static>(
    access: TaskAccess,
    work: impl FnOnce(&TaskTransaction<'_>) -> Result<T, WorkError<TaskError>> + Send + 'static,
) -> impl FnOnce(&Connection) -> Result<T, WorkError<TaskError>> + Send + 'static {
    move |connection| work(&TaskTransaction::to_write(connection, &access)?)
}

impl TaskRepository for SqliteStore {
    fn create(
        &self,
        access: TaskAccess,
        new: NewTask,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        let more = NewRecords { owner: access.owner.clone(), kind: StoredKind::Tasks, count: 1 };
        let work = writing(access, move |transaction| change::create(transaction, new));
        Box::pin(self.write_more(more, work))
    }

    fn get(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        Box::pin(self.read(reading(access, move |transaction| Ok(find(transaction, &id)?.task))))
    }

    fn list(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTask>, TaskError>> {
        let of = ListOwner { owner: access.owner.clone(), list: "tasks" };
        self.read_part(of, page, move |connection, page| {
            query::list(&TaskTransaction::to_read(connection, &access), &filter, page)
        })
    }

    fn update(
        &self,
        access: TaskAccess,
        id: TaskId,
        edit: TaskEdit,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        Box::pin(
            self.write(writing(access, move |transaction| change::update(transaction, &id, edit))),
        )
    }

    fn delete(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        Box::pin(self.write(writing(access, move |transaction| change::delete(transaction, &id))))
    }

    fn add_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        Box::pin(self.write(writing(access, move |transaction| {
            change::add_blocker(transaction, &id, &blocker)
        })))
    }

    fn remove_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        Box::pin(self.write(writing(access, move |transaction| {
            change::remove_blocker(transaction, &id, &blocker)
        })))
    }

    fn blockers(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, TaskError>> {
        Box::pin(self.read(reading(access, move |transaction| {
            let task = find(transaction, &id)?;
            Ok(loaded(transaction, graph::blockers(transaction, task.number)?, TextDetail::Cut)?)
        })))
    }

    fn ready(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, StoreError>> {
        Box::pin(self.read(reading(access, move |transaction| {
            Ok(loaded(transaction, query::ready(transaction, &filter, limit)?, TextDetail::Cut)?)
        })))
    }

    fn claim(
        &self,
        access: TaskAccess,
        which: Option<TaskId>,
        filter: TaskFilter,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<Option<StoredTask>, TaskError>> {
        Box::pin(self.write(writing(access, move |transaction| match which {
            Some(id) => {
                claims::claim(transaction, find(transaction, &id)?, worker, lease).map(Some)
            }
            None => claims::claim_first(transaction, &filter, worker, lease),
        })))
    }

    fn renew(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        Box::pin(self.write(writing(access, move |transaction| {
            claims::renew(transaction, &id, worker, lease)
        })))
    }

    fn release(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>> {
        Box::pin(
            self.write(writing(access, move |transaction| {
                claims::release(transaction, &id, worker)
            })),
        )
    }

    fn history(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<TaskEvent>, TaskError>> {
        Box::pin(self.read(reading(access, move |transaction| claims::history(transaction, &id))))
    }

    fn ids(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TaskId>, StoreError>> {
        Box::pin(
            self.read(reading(access, move |transaction| {
                Ok(query::ids(transaction, &prefix, limit)?)
            })),
        )
    }

    fn lists(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>> {
        Box::pin(self.read(reading(access, move |transaction| {
            Ok(query::lists(transaction, &prefix, limit)?)
        })))
    }
}
