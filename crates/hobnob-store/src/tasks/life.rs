//! The rules of a task's life, the same for every backend: which status may follow which, and what
//! happens to times and claims on the way. Nothing here reads or writes; who does, saves the task.

use super::port::TaskError;
use super::record::{Claim, StoredTask, StoredTaskStatus, TaskAction, Worker};
use crate::time::Time;
use std::time::Duration;

/// Frees a task whose lease has ended by then, as of the end of the lease; whose it was.
pub fn lapse(task: &mut StoredTask, now: Time) -> Option<Claim> {
    let claim = task.claim.take_if(|claim| claim.until <= now)?;
    begin_anew(task);
    task.updated = claim.until;
    Some(claim)
}

/// Brings a task into another status; what that is called, or nothing if it was in it already.
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
            begin_anew(task);
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

/// Gives a task that is ready to a worker.
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

/// Lets its worker keep a task for longer.
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

/// Takes a task back from its worker.
pub fn release(task: &mut StoredTask, worker: &Worker) -> Result<(), TaskError> {
    match &task.claim {
        Some(claim) if claim.worker == *worker => {
            begin_anew(task);
            Ok(())
        }
        _ => Err(not_claimed(task, worker)),
    }
}

fn begin_anew(task: &mut StoredTask) {
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
