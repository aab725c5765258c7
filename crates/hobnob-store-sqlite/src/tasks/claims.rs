//! Who has a task and for how long, and what happened to it.
//!
//! Claiming is one write, so no two workers get the same task.

use super::query;
use super::recording::LEASE_ENDED;
use super::rows::{NumberedTask, events, find, numbered};
use super::transaction::TaskTransaction;
use crate::convert::WorkError;
use hobnob_store::tasks::{
    MAX_TASK_EVENTS, StoredTask, TaskAction, TaskError, TaskEvent, TaskFilter, TaskId, Worker, life,
};
use std::time::Duration;

/// Gives the first task that is ready to a worker.
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

/// Gives a task to a worker.
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

/// Lets its worker keep a task.
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

/// Takes a task back from its worker.
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

/// What happened to a task. A lease that is over has ended, though nobody has written that yet.
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
            // The first one stays, as it does when this is written.
            events.remove(1);
        }
    }
    Ok(events)
}

fn lease_text(lease: Duration) -> String {
    format!("for {} s", lease.as_secs())
}
