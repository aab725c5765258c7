//! The port of tasks: what a backend must do with them.
//!
//! The behaviour that goes with the signatures is in the suite that every backend passes.

use super::record::{
    NewTask, StoredTask, StoredTaskStatus, TaskAccess, TaskEdit, TaskEvent, TaskFilter, TaskId,
    Worker,
};
use crate::StoreFuture;
use crate::error::StoreError;
use crate::memory::{Page, PageRequest, UsageCount};
use std::time::Duration;

/// The most steps of a history that are kept: the first, and the last ones.
pub const MAX_TASK_EVENTS: usize = 1_000;
/// So many are named in a message.
const NAMED: usize = 20;

/// Why nothing was done with a task.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// There is none of this id within reach.
    #[error("task not found: {0}")]
    NotFound(TaskId),
    /// Each of these waits for the next, and the last for the first.
    #[error("that would be a cycle: {}", round(.0))]
    Cycle(Vec<TaskId>),
    /// It cannot be started or completed before these are completed.
    #[error("task {id} is blocked by {}", some(.by))]
    Blocked {
        /// The task that cannot be begun or completed.
        id: TaskId,
        /// The blockers that are not completed.
        by: Vec<TaskId>,
    },
    /// Somebody else has it.
    #[error("task {id} is claimed by `{}`", .worker.as_str())]
    Claimed {
        /// The task that somebody else has.
        id: TaskId,
        /// The worker who has claimed it.
        worker: Worker,
    },
    /// The worker does not have it (any more).
    #[error("task {id} is not claimed by `{}`", .worker.as_str())]
    NotClaimed {
        /// The task that was named.
        id: TaskId,
        /// The worker who has not claimed it.
        worker: Worker,
    },
    /// It is over, or somebody has begun it already.
    #[error("task {id} is {}: set it to pending first", .status.as_str())]
    NotPending {
        /// The task that was named.
        id: TaskId,
        /// The status that it has instead.
        status: StoredTaskStatus,
    },
    /// Others are part of it or wait for it.
    #[error("task {id} is still needed by {}: delete or detach them first", some(.by))]
    Needed {
        /// The task that cannot be deleted.
        id: TaskId,
        /// The tasks that are part of it or wait for it.
        by: Vec<TaskId>,
    },
    /// No page ended with this.
    #[error("this cursor is not from a list of tasks: list again without it")]
    BadCursor,
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn some(ids: &[TaskId]) -> String {
    let named: Vec<&str> = ids.iter().take(NAMED).map(TaskId::as_str).collect();
    let more = ids.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    named.join(", ") + &more
}

fn round(ids: &[TaskId]) -> String {
    let ids: Vec<&str> = ids.iter().chain(ids.first()).map(TaskId::as_str).collect();
    ids.join(" → ")
}

/// Tasks that agents share.
///
/// A claim whose lease has ended by the time of the reach is none: every answer shows the task as
/// pending, and its history says `released`. Blockers and parents are the owner's own tasks, on
/// any list. A task is blocked while any of its blockers is not completed; a failed one blocks too.
pub trait TaskRepository: Send + Sync + 'static {
    /// Stores a new task, pending.
    fn create(
        &self,
        access: TaskAccess,
        new: NewTask,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// One by its id.
    fn get(&self, access: TaskAccess, id: TaskId)
    -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// By time of creation, and where to go on if there are more. Long texts are cut: only what
    /// gives a single task has them whole.
    fn list(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTask>, TaskError>>;

    /// Changes one. Its times and its claim go with its status: beginning sets `started`, an end
    /// sets `finished` and takes the claim away, pending has neither. A blocked task cannot be
    /// started or completed, only its claimant can change the status of a claimed one, and what is
    /// over must be set to pending first. An edit that changes nothing leaves no trace.
    fn update(
        &self,
        access: TaskAccess,
        id: TaskId,
        edit: TaskEdit,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Removes one that nothing else needs, for good.
    fn delete(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Makes one wait for another. Naming it twice changes nothing.
    fn add_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Takes that back. Taking back what was not there changes nothing.
    fn remove_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// What one waits for, directly, in the order it was named. Long texts are cut.
    fn blockers(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, TaskError>>;

    /// Pending, not blocked, not claimed; most important first, then oldest. Long texts are cut.
    fn ready(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, StoreError>>;

    /// Takes one task that is ready for a worker and starts it: `which` if it is named, whatever
    /// the filter says, or else the first that fits. No two claims ever get the same, not even of
    /// workers with the same name. `None` if nothing is ready.
    fn claim(
        &self,
        access: TaskAccess,
        which: Option<TaskId>,
        filter: TaskFilter,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<Option<StoredTask>, TaskError>>;

    /// Keeps one for longer; it is never kept for less long than it was.
    fn renew(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Gives one back, to be begun anew by somebody else.
    fn release(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// What happened to one, oldest first; of a very long history the first step and
    /// the last ones, [`MAX_TASK_EVENTS`] of them.
    fn history(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<TaskEvent>, TaskError>>;

    /// Ids that begin like this, newest first.
    fn ids(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TaskId>, StoreError>>;

    /// Lists in use whose names begin like this, most used first.
    fn lists(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>>;
}
