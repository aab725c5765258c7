//! The life cycle of a task, the same for every backend: which status may follow which, and how
//! times and claims change with it. These functions are pure; the caller saves the task.

use super::port::TaskError;
use super::record::{Claim, StoredTask, StoredTaskStatus, TaskAction, Worker};
use crate::time::Time;
use std::time::Duration;

/// Frees a task whose lease has expired, as of the end of the lease; returns the expired claim.
pub fn lapse(task: &mut StoredTask, now: Time) -> Option<Claim> {
    let claim = task.claim.take_if(|claim| claim.until <= now)?;
    reset_to_pending(task);
    task.updated = claim.until;
    Some(claim)
}

/// Moves a task to another status; returns the action for its history, if anything changed.
pub fn move_to(
    task: &mut StoredTask,
    status: StoredTaskStatus,
    worker: Option<&Worker>,
    now: Time,
) -> Result<Option<TaskAction>, TaskError> {
    use StoredTaskStatus::{Completed, Failed, InProgress, Pending};
    if let Some(claim) = &task.claim
        && worker != Some(&claim.worker)
    {
        return Err(TaskError::Claimed { id: task.id.clone(), worker: claim.worker.clone() });
    }
    if task.status == status {
        return Ok(None);
    }
    let action = match (task.status, status) {
        (_, Pending) => {
            let action =
                if task.claim.is_some() { TaskAction::Released } else { TaskAction::Reopened };
            reset_to_pending(task);
            action
        }
        (Completed | Failed, _) => return Err(not_pending(task)),
        (Pending | InProgress, InProgress) => {
            check_unblocked(task)?;
            begin(task, now);
            TaskAction::Started
        }
        (Pending | InProgress, Completed) => {
            check_unblocked(task)?;
            end(task, Completed, now);
            TaskAction::Completed
        }
        (Pending | InProgress, Failed) => {
            end(task, Failed, now);
            TaskAction::Failed
        }
    };
    Ok(Some(action))
}

/// Gives a worker the claim on a ready task.
pub fn claim(
    task: &mut StoredTask,
    worker: Worker,
    lease: Duration,
    now: Time,
) -> Result<(), TaskError> {
    if let Some(claim) = &task.claim {
        return Err(TaskError::Claimed { id: task.id.clone(), worker: claim.worker.clone() });
    }
    if task.status != StoredTaskStatus::Pending {
        return Err(not_pending(task));
    }
    check_unblocked(task)?;
    begin(task, now);
    task.claim = Some(Claim { worker, until: now.plus(lease) });
    Ok(())
}

/// Extends the lease of the worker who has the task.
pub fn renew(
    task: &mut StoredTask,
    worker: &Worker,
    lease: Duration,
    now: Time,
) -> Result<(), TaskError> {
    match &mut task.claim {
        Some(claim) if claim.worker == *worker => {
            claim.until = claim.until.max(now.plus(lease));
            Ok(())
        }
        _ => Err(not_claimed(task, worker)),
    }
}

/// Ends the worker's claim on a task.
pub fn release(task: &mut StoredTask, worker: &Worker) -> Result<(), TaskError> {
    match &task.claim {
        Some(claim) if claim.worker == *worker => {
            reset_to_pending(task);
            Ok(())
        }
        _ => Err(not_claimed(task, worker)),
    }
}

fn reset_to_pending(task: &mut StoredTask) {
    task.status = StoredTaskStatus::Pending;
    task.claim = None;
    task.started = None;
    task.finished = None;
}

fn begin(task: &mut StoredTask, now: Time) {
    task.status = StoredTaskStatus::InProgress;
    task.started = Some(now);
}

fn end(task: &mut StoredTask, status: StoredTaskStatus, now: Time) {
    task.status = status;
    task.claim = None;
    task.started.get_or_insert(now);
    task.finished = Some(now);
}

fn check_unblocked(task: &StoredTask) -> Result<(), TaskError> {
    if task.open_blockers.is_empty() {
        return Ok(());
    }
    Err(TaskError::Blocked { id: task.id.clone(), by: task.open_blockers.clone() })
}

fn not_pending(task: &StoredTask) -> TaskError {
    TaskError::NotPending { id: task.id.clone(), status: task.status }
}

fn not_claimed(task: &StoredTask, worker: &Worker) -> TaskError {
    TaskError::NotClaimed { id: task.id.clone(), worker: worker.clone() }
}
