//! Claims of tasks with their leases, and the history.
//!
//! Claiming is one write transaction, so no two workers get the same task.

use super::query;
use super::recording::LEASE_ENDED;
use super::rows::{NumberedTask, events, find, numbered};
use super::transaction::TaskTransaction;
use crate::convert::WorkError;
use hobnob_store::tasks::{
    MAX_TASK_EVENTS, StoredTask, TaskAction, TaskError, TaskEvent, TaskFilter, TaskId, Worker, life,
};
use std::time::Duration;

/// Claims the first ready task for a worker.
pub(super) fn claim_first(
    transaction: &TaskTransaction<'_>,
    filter: &TaskFilter,
    worker: Worker,
    lease: Duration,
) -> Result<Option<StoredTask>, WorkError<TaskError>> {
    match query::ready(transaction, filter, 1)?.first() {
        Some(number) => {
            claim(transaction, numbered(transaction, *number)?, worker, lease).map(Some)
        }
        None => Ok(None),
    }
}

/// Claims a task for a worker.
pub(super) fn claim(
    transaction: &TaskTransaction<'_>,
    before: NumberedTask,
    worker: Worker,
    lease: Duration,
) -> Result<StoredTask, WorkError<TaskError>> {
    let mut after = before.task.clone();
    life::claim(&mut after, worker.clone(), lease, transaction.now())?;
    let event = transaction.event(TaskAction::Claimed, Some(worker));
    Ok(transaction.record(
        before,
        after,
        &TaskEvent { detail: Some(lease_text(lease)), ..event },
    )?)
}

/// Extends the lease of a task's worker.
pub(super) fn renew(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
    worker: Worker,
    lease: Duration,
) -> Result<StoredTask, WorkError<TaskError>> {
    let before = find(transaction, id)?;
    let mut after = before.task.clone();
    life::renew(&mut after, &worker, lease, transaction.now())?;
    let event = transaction.event(TaskAction::Renewed, Some(worker));
    Ok(transaction.record(
        before,
        after,
        &TaskEvent { detail: Some(lease_text(lease)), ..event },
    )?)
}

/// Releases a task from its worker.
pub(super) fn release(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
    worker: Worker,
) -> Result<StoredTask, WorkError<TaskError>> {
    let before = find(transaction, id)?;
    let mut after = before.task.clone();
    life::release(&mut after, &worker)?;
    let event = transaction.event(TaskAction::Released, Some(worker));
    Ok(transaction.record(before, after, &event)?)
}

/// The history of a task. An expired lease is reported even if no write has recorded its end yet.
pub(super) fn history(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
) -> Result<Vec<TaskEvent>, WorkError<TaskError>> {
    let number = find(transaction, id)?.number;
    let mut events = events(transaction, number)?;
    if let Some(claim) = life::lapse(&mut numbered(transaction, number)?.task, transaction.now()) {
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
