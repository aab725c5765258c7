//! Claims of tasks with their leases, and the history.
//!
//! A claim locks its task before it looks at it, so no two workers get the same task.

use super::query;
use super::recording::LEASE_ENDED;
use super::rows::{NumberedTask, events, find, numbered};
use super::work::TaskWork;
use crate::error::TransactionFailure;
use hobnob_store::tasks::{
    MAX_TASK_EVENTS, StoredTask, TaskAction, TaskError, TaskEvent, TaskFilter, TaskId, Worker, life,
};
use std::time::Duration;

/// The result of work on tasks.
type Worked<T> = std::result::Result<T, TransactionFailure<TaskError>>;

/// Claims the first ready task for a worker. A filter for a text needs the owner's lock; without
/// one, claims run side by side.
pub(super) async fn claim_first(
    work: &TaskWork<'_>,
    filter: &TaskFilter,
    worker: Worker,
    lease: Duration,
) -> Worked<Option<StoredTask>> {
    let first = match filter.contains {
        Some(_) => query::ready(work, filter, 1).await?.first().copied(),
        None => query::lock_ready(work, filter).await?,
    };
    match first {
        Some(number) => claim(work, numbered(work, number).await?, worker, lease).await.map(Some),
        None => Ok(None),
    }
}

/// Claims a task for a worker.
pub(super) async fn claim(
    work: &TaskWork<'_>,
    before: NumberedTask,
    worker: Worker,
    lease: Duration,
) -> Worked<StoredTask> {
    let mut after = before.task.clone();
    life::claim(&mut after, worker.clone(), lease, work.now())?;
    let event = work.event(TaskAction::Claimed, Some(worker));
    let detail = Some(lease_text(lease));
    Ok(work.record(before, after, &TaskEvent { detail, ..event }).await?)
}

/// Extends the lease of a task's worker.
pub(super) async fn renew(
    work: &TaskWork<'_>,
    id: &TaskId,
    worker: Worker,
    lease: Duration,
) -> Worked<StoredTask> {
    let before = find(work, id).await?;
    let mut after = before.task.clone();
    life::renew(&mut after, &worker, lease, work.now())?;
    let event = work.event(TaskAction::Renewed, Some(worker));
    let detail = Some(lease_text(lease));
    Ok(work.record(before, after, &TaskEvent { detail, ..event }).await?)
}

/// Releases a task from its worker.
pub(super) async fn release(
    work: &TaskWork<'_>,
    id: &TaskId,
    worker: Worker,
) -> Worked<StoredTask> {
    let before = find(work, id).await?;
    let mut after = before.task.clone();
    life::release(&mut after, &worker)?;
    let event = work.event(TaskAction::Released, Some(worker));
    Ok(work.record(before, after, &event).await?)
}

/// The history of a task. An expired lease is reported even if no write has recorded its end yet.
pub(super) async fn history(work: &TaskWork<'_>, id: &TaskId) -> Worked<Vec<TaskEvent>> {
    let number = find(work, id).await?.number;
    let mut events = events(work, number).await?;
    if let Some(claim) = life::lapse(&mut numbered(work, number).await?.task, work.now()) {
        let (worker, detail) = (Some(claim.worker), Some(LEASE_ENDED.to_owned()));
        events.push(TaskEvent { at: claim.until, worker, action: TaskAction::Released, detail });
        if MAX_TASK_EVENTS < events.len() {
            // Stay within the limit and keep the first event, as the next write will.
            events.remove(1);
        }
    }
    Ok(events)
}

fn lease_text(lease: Duration) -> String {
    format!("for {} s", lease.as_secs())
}
