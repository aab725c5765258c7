//! The port of tasks: what a backend must do with them.
//!
//! The behaviour that goes with the signatures is in the suite that every backend passes.

use super::record::{
    NewTask, Step, Task, TaskEdit, TaskFilter, TaskId, TaskReach, TaskStatus, Worker,
};
use crate::Work;
use crate::error::StoreError;
use crate::memory::{Page, Part};
use std::time::Duration;

/// Why nothing was done with a task.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// There is none of this id within reach.
    #[error("task not found: {0}")]
    NotFound(TaskId),
    /// Each of these waits for the next, and the last for the first.
    #[error("that would be a cycle: {}", show(.0, " → "))]
    Cycle(Vec<TaskId>),
    /// It cannot be started or completed before these are completed.
    #[error("task {id} is blocked by {}", show(.by, ", "))]
    Blocked {
        /// Which.
        id: TaskId,
        /// By what.
        by: Vec<TaskId>,
    },
    /// Somebody else has it.
    #[error("task {id} is claimed by `{}`", .worker.as_str())]
    Claimed {
        /// Which.
        id: TaskId,
        /// By whom.
        worker: Worker,
    },
    /// The worker does not have it (any more).
    #[error("task {id} is not claimed by `{}`", .worker.as_str())]
    NotClaimed {
        /// Which.
        id: TaskId,
        /// Not by whom.
        worker: Worker,
    },
    /// It is over.
    #[error("task {id} is {}: set it to pending first", .status.as_str())]
    Over {
        /// Which.
        id: TaskId,
        /// How it ended.
        status: TaskStatus,
    },
    /// Others are part of it or wait for it.
    #[error("task {id} is still needed by {}: delete or detach them first", show(.by, ", "))]
    Needed {
        /// Which.
        id: TaskId,
        /// By what.
        by: Vec<TaskId>,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<rusqlite::Error> for TaskError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

fn show(ids: &[TaskId], between: &str) -> String {
    let ids: Vec<&str> = ids.iter().map(TaskId::as_str).collect();
    ids.join(between)
}

/// Tasks that agents share.
pub trait Tasks: Send + Sync + 'static {
    /// Makes one.
    fn create(&self, reach: TaskReach, new: NewTask) -> Work<'_, Result<Task, TaskError>>;

    /// One by its id.
    fn get(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Task, TaskError>>;

    /// By time of creation, and where to go on if there are more.
    fn list(
        &self,
        reach: TaskReach,
        filter: TaskFilter,
        page: Page,
    ) -> Work<'_, Result<Part<Task>, StoreError>>;

    /// Changes one. Its times and its claim go with its status.
    fn update(
        &self,
        reach: TaskReach,
        id: TaskId,
        edit: TaskEdit,
    ) -> Work<'_, Result<Task, TaskError>>;

    /// Removes one that nothing else needs, for good.
    fn delete(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Task, TaskError>>;

    /// Makes one wait for another. Naming it twice changes nothing.
    fn add_blocker(
        &self,
        reach: TaskReach,
        id: TaskId,
        blocker: TaskId,
    ) -> Work<'_, Result<Task, TaskError>>;

    /// Takes that back.
    fn remove_blocker(
        &self,
        reach: TaskReach,
        id: TaskId,
        blocker: TaskId,
    ) -> Work<'_, Result<Task, TaskError>>;

    /// What one waits for, directly.
    fn blockers(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Vec<Task>, TaskError>>;

    /// What one consists of, directly.
    fn children(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Vec<Task>, TaskError>>;

    /// Pending, not blocked, not claimed; most important first, then oldest.
    fn ready(
        &self,
        reach: TaskReach,
        filter: TaskFilter,
        most: usize,
    ) -> Work<'_, Result<Vec<Task>, StoreError>>;

    /// Takes one task that is ready (this one, or the first that fits) for a worker and starts
    /// it. No two workers ever get the same. `None` if nothing is ready.
    fn claim(
        &self,
        reach: TaskReach,
        which: Option<TaskId>,
        filter: TaskFilter,
        worker: Worker,
        lease: Duration,
    ) -> Work<'_, Result<Option<Task>, TaskError>>;

    /// Keeps one for longer.
    fn renew(
        &self,
        reach: TaskReach,
        id: TaskId,
        worker: Worker,
        lease: Duration,
    ) -> Work<'_, Result<Task, TaskError>>;

    /// Gives one back, to be begun anew by somebody else.
    fn release(
        &self,
        reach: TaskReach,
        id: TaskId,
        worker: Worker,
    ) -> Work<'_, Result<Task, TaskError>>;

    /// What happened to one, oldest first.
    fn history(&self, reach: TaskReach, id: TaskId) -> Work<'_, Result<Vec<Step>, TaskError>>;
}
