//! Who has a task and for how long, and what happened to it.

use super::ledger::{LEASE_ENDED, Ledger};
use super::query;
use super::rows::{Kept, find, kept, steps};
use crate::tasks::{Action, MOST_STEPS, Step, Task, TaskError, TaskFilter, TaskId, Worker, life};
use std::time::Duration;

/// Gives the first task that is ready to a worker.
pub(super) fn claim_first(
    ledger: &Ledger<'_>,
    filter: &TaskFilter,
    worker: Worker,
    lease: Duration,
) -> Result<Option<Task>, TaskError> {
    match query::ready(ledger, filter, 1)?.first() {
        Some(number) => claim(ledger, kept(ledger, *number)?, worker, lease).map(Some),
        None => Ok(None),
    }
}

/// Gives a task to a worker.
pub(super) fn claim(
    ledger: &Ledger<'_>,
    before: Kept,
    worker: Worker,
    lease: Duration,
) -> Result<Task, TaskError> {
    let mut after = before.task.clone();
    life::claim(&mut after, worker.clone(), lease, ledger.now())?;
    let step = ledger.step(Action::Claimed, Some(worker));
    Ok(ledger.record(before, after, &Step { detail: Some(told(lease)), ..step })?)
}

/// Lets its worker keep a task.
pub(super) fn renew(
    ledger: &Ledger<'_>,
    id: &TaskId,
    worker: Worker,
    lease: Duration,
) -> Result<Task, TaskError> {
    let before = find(ledger, id)?;
    let mut after = before.task.clone();
    life::renew(&mut after, &worker, lease, ledger.now())?;
    let step = ledger.step(Action::Renewed, Some(worker));
    Ok(ledger.record(before, after, &Step { detail: Some(told(lease)), ..step })?)
}

/// Takes a task back from its worker.
pub(super) fn release(ledger: &Ledger<'_>, id: &TaskId, worker: Worker) -> Result<Task, TaskError> {
    let before = find(ledger, id)?;
    let mut after = before.task.clone();
    life::release(&mut after, &worker)?;
    let step = ledger.step(Action::Released, Some(worker));
    Ok(ledger.record(before, after, &step)?)
}

/// What happened to a task. A lease that is over has ended, though nobody has written that yet.
pub(super) fn history(ledger: &Ledger<'_>, id: &TaskId) -> Result<Vec<Step>, TaskError> {
    let number = find(ledger, id)?.number;
    let mut steps = steps(ledger, number)?;
    if let Some(claim) = life::lapse(&mut kept(ledger, number)?.task, ledger.now()) {
        let (worker, detail) = (Some(claim.worker), Some(LEASE_ENDED.to_owned()));
        steps.push(Step { at: claim.until, worker, action: Action::Released, detail });
        if MOST_STEPS < steps.len() {
            // The first one stays, as it does when this is written.
            steps.remove(1);
        }
    }
    Ok(steps)
}

fn told(lease: Duration) -> String {
    format!("for {} s", lease.as_secs())
}
