//! The port of tasks: what a backend must do with them.
//!
//! The test suite that every backend passes defines the behaviour behind the signatures.

use super::record::{
    NewTask, StoredTask, StoredTaskStatus, TaskAccess, TaskEdit, TaskEvent, TaskFilter, TaskId,
    Worker,
};
use crate::StoreFuture;
use crate::error::StoreError;
use crate::memory::{Page, PageRequest, UsageCount};
use std::time::Duration;

/// Maximum events kept per history: the first one and the latest ones.
pub const MAX_TASK_EVENTS: usize = 1_000;
/// Maximum number of ids in an error message.
const MAX_LISTED_IDS: usize = 20;

/// Why an operation on a task failed; nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The owner has no task of this id.
    #[error("task not found: {0}")]
    NotFound(TaskId),
    /// Each of these waits for the next one, and the last for the first.
    #[error("that would be a cycle: {}", cycle_text(.0))]
    Cycle(Vec<TaskId>),
    /// These must be completed before it can be started or completed.
    #[error("task {id} is blocked by {}", listed_ids(.by))]
    Blocked {
        /// The task that cannot be started or completed.
        id: TaskId,
        /// The blockers that are not completed.
        by: Vec<TaskId>,
    },
    /// Another worker has claimed it.
    #[error("task {id} is claimed by `{}`", .worker.as_str())]
    Claimed {
        /// The task that another worker has claimed.
        id: TaskId,
        /// The worker who has claimed it.
        worker: Worker,
    },
    /// The worker has no claim on it, or no longer.
    #[error("task {id} is not claimed by `{}`", .worker.as_str())]
    NotClaimed {
        /// The task that was named.
        id: TaskId,
        /// The worker without a claim.
        worker: Worker,
    },
    /// The task has been started or is finished.
    #[error("task {id} is {}: set it to pending first", .status.as_str())]
    NotPending {
        /// The task that was named.
        id: TaskId,
        /// The status that it has.
        status: StoredTaskStatus,
    },
    /// Other tasks are part of it or wait for it.
    #[error("task {id} is still needed by {}: delete or detach them first", listed_ids(.by))]
    Needed {
        /// The task that cannot be deleted.
        id: TaskId,
        /// The tasks that are part of it or wait for it.
        by: Vec<TaskId>,
    },
    /// The cursor was not returned by this list.
    #[error("this cursor is not from a list of tasks: list again without it")]
    BadCursor,
    /// The store failed, and nothing was changed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn listed_ids(ids: &[TaskId]) -> String {
    let named: Vec<&str> = ids.iter().take(MAX_LISTED_IDS).map(TaskId::as_str).collect();
    let more = ids.len().saturating_sub(MAX_LISTED_IDS);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    named.join(", ") + &more
}

fn cycle_text(ids: &[TaskId]) -> String {
    let ids: Vec<&str> = ids.iter().chain(ids.first()).map(TaskId::as_str).collect();
    ids.join(" → ")
}

/// Stores tasks that agents share.
///
/// A claim whose lease has expired at the time of the access does not count: every answer shows the
/// task as pending, and its history says `released`. Blockers and parents are tasks of the same
/// owner, on any list. A task is blocked while any of its blockers is not completed; a failed one
/// blocks too.
pub trait TaskRepository: Send + Sync + 'static {
    /// Creates a task with status pending.
    fn create(
        &self,
        access: TaskAccess,
        new: NewTask,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// A task by its id.
    fn get(&self, access: TaskAccess, id: TaskId)
    -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// A page of tasks by time of creation. Long texts are truncated here; a single task has them
    /// whole.
    fn list(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        page: PageRequest,
    ) -> StoreFuture<'_, Result<Page<StoredTask>, TaskError>>;

    /// Changes a task. Its times and its claim follow the status: starting sets `started`, an end
    /// sets `finished` and removes the claim, pending clears both. A blocked task cannot be started
    /// or completed, only the claimant can change the status of a claimed task, and a finished task
    /// must be set to pending first. An edit that changes nothing adds no event.
    fn update(
        &self,
        access: TaskAccess,
        id: TaskId,
        edit: TaskEdit,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Removes a task for good, unless another task needs it.
    fn delete(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Makes a task wait for another one. Adding a blocker twice changes nothing.
    fn add_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Removes a blocker. Removing a blocker that the task does not have changes nothing.
    fn remove_blocker(
        &self,
        access: TaskAccess,
        id: TaskId,
        blocker: TaskId,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// The direct blockers of a task, in the order they were added. Long texts are truncated.
    fn blockers(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, TaskError>>;

    /// Pending, unblocked, unclaimed tasks, by priority, then age. Long texts are truncated.
    fn ready(
        &self,
        access: TaskAccess,
        filter: TaskFilter,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<StoredTask>, StoreError>>;

    /// Claims one ready task for a worker and starts it: `which` if it is given, ignoring the
    /// filter, otherwise the first match. Two claims never get the same task, not even from workers
    /// with the same name. `None` if no task is ready.
    fn claim(
        &self,
        access: TaskAccess,
        which: Option<TaskId>,
        filter: TaskFilter,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<Option<StoredTask>, TaskError>>;

    /// Extends the lease of a claim; a renewal never shortens it.
    fn renew(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
        lease: Duration,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// Releases a claim, so that another worker can start the task again.
    fn release(
        &self,
        access: TaskAccess,
        id: TaskId,
        worker: Worker,
    ) -> StoreFuture<'_, Result<StoredTask, TaskError>>;

    /// The events of a task, oldest first: the first and the latest, [`MAX_TASK_EVENTS`] in all.
    fn history(
        &self,
        access: TaskAccess,
        id: TaskId,
    ) -> StoreFuture<'_, Result<Vec<TaskEvent>, TaskError>>;

    /// Ids that start with `prefix`, newest first.
    fn ids(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<TaskId>, StoreError>>;

    /// Lists in use whose names start with `prefix`, most used first.
    fn lists(
        &self,
        access: TaskAccess,
        prefix: String,
        limit: usize,
    ) -> StoreFuture<'_, Result<Vec<UsageCount>, StoreError>>;
}
