//! The port's answers, each in one transaction off the async threads.

use super::ledger::Ledger;
use super::rows::{Texts, find, loaded};
use super::{change, claims, graph, query};
use crate::Work;
use crate::error::StoreError;
use crate::memory::{Count, Page, Part};
use crate::sqlite::SqliteStore;
use crate::tasks::{
    NewTask, Step, Task, TaskEdit, TaskError, TaskFilter, TaskId, TaskReach, Tasks, Worker,
};
use std::time::Duration;

impl SqliteStore {
    /// Reads within a reach.
    fn look<T, E, F>(&self, reach: TaskReach, work: F) -> Work<'_, Result<T, E>>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: FnOnce(&Ledger<'_>) -> Result<T, E> + Send + 'static,
    {
        Box::pin(self.read(move |connection| work(&Ledger::to_read(connection, &reach))))
    }

    /// Writes within a reach.
    fn change<T, F>(&self, reach: TaskReach, work: F) -> Work<'_, Result<T, TaskError>>
    where
        T: Send + 'static,
        F: FnOnce(&Ledger<'_>) -> Result<T, TaskError> + Send + 'static,
    {
        Box::pin(self.write(move |connection| work(&Ledger::to_write(connection, &reach)?)))
    }
}

impl Tasks for SqliteStore {
    fn create(&self, reach: TaskReach, new: NewTask) -> Work<'_, Result<Task, TaskError>> {
        self.change(reach, move |ledger| change::create(ledger, new))
    }

    fn get(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Task, TaskError>> {
        self.look(reach, move |ledger| Ok(find(ledger, &id)?.task))
    }

    fn list(
        &self,
        reach: TaskReach,
        filter: TaskFilter,
        page: Page,
    ) -> Work<'_, Result<Part<Task>, TaskError>> {
        self.look(reach, move |ledger| query::list(ledger, &filter, &page))
    }

    fn update(
        &self,
        reach: TaskReach,
        id: TaskId,
        edit: TaskEdit,
    ) -> Work<'_, Result<Task, TaskError>> {
        self.change(reach, move |ledger| change::update(ledger, &id, edit))
    }

    fn delete(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Task, TaskError>> {
        self.change(reach, move |ledger| change::delete(ledger, &id))
    }

    fn add_blocker(
        &self,
        reach: TaskReach,
        id: TaskId,
        blocker: TaskId,
    ) -> Work<'_, Result<Task, TaskError>> {
        self.change(reach, move |ledger| change::add_blocker(ledger, &id, &blocker))
    }

    fn remove_blocker(
        &self,
        reach: TaskReach,
        id: TaskId,
        blocker: TaskId,
    ) -> Work<'_, Result<Task, TaskError>> {
        self.change(reach, move |ledger| change::remove_blocker(ledger, &id, &blocker))
    }

    fn blockers(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Vec<Task>, TaskError>> {
        self.look(reach, move |ledger| {
            let task = find(ledger, &id)?;
            Ok(loaded(ledger, graph::blockers(ledger, task.number)?, Texts::Cut)?)
        })
    }

    fn ready(
        &self,
        reach: TaskReach,
        filter: TaskFilter,
        most: usize,
    ) -> Work<'_, Result<Vec<Task>, StoreError>> {
        self.look(reach, move |ledger| {
            Ok(loaded(ledger, query::ready(ledger, &filter, most)?, Texts::Cut)?)
        })
    }

    fn claim(
        &self,
        reach: TaskReach,
        which: Option<TaskId>,
        filter: TaskFilter,
        worker: Worker,
        lease: Duration,
    ) -> Work<'_, Result<Option<Task>, TaskError>> {
        self.change(reach, move |ledger| match which {
            Some(id) => claims::claim(ledger, find(ledger, &id)?, worker, lease).map(Some),
            None => claims::claim_first(ledger, &filter, worker, lease),
        })
    }

    fn renew(
        &self,
        reach: TaskReach,
        id: TaskId,
        worker: Worker,
        lease: Duration,
    ) -> Work<'_, Result<Task, TaskError>> {
        self.change(reach, move |ledger| claims::renew(ledger, &id, worker, lease))
    }

    fn release(
        &self,
        reach: TaskReach,
        id: TaskId,
        worker: Worker,
    ) -> Work<'_, Result<Task, TaskError>> {
        self.change(reach, move |ledger| claims::release(ledger, &id, worker))
    }

    fn history(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Vec<Step>, TaskError>> {
        self.look(reach, move |ledger| claims::history(ledger, &id))
    }

    fn ids(
        &self,
        reach: TaskReach,
        prefix: String,
        most: usize,
    ) -> Work<'_, Result<Vec<TaskId>, StoreError>> {
        self.look(reach, move |ledger| Ok(query::ids(ledger, &prefix, most)?))
    }

    fn lists(
        &self,
        reach: TaskReach,
        prefix: String,
        most: usize,
    ) -> Work<'_, Result<Vec<Count>, StoreError>> {
        self.look(reach, move |ledger| Ok(query::lists(ledger, &prefix, most)?))
    }
}
