//! Creates, changes and removes tasks, and their blockers.
//!
//! Runs inside a write transaction; cycles are detected before anything is written.

use super::graph;
use super::rows::{add_event, find, insert, load};
use super::work::TaskWork;
use crate::error::{Result, TransactionFailure};
use crate::value::values;
use hobnob_store::tasks::{
    NewTask, StoredTask, StoredTaskStatus, TaskAction, TaskEdit, TaskError, TaskEvent, TaskId, life,
};

/// The result of work on tasks.
type Worked<T> = std::result::Result<T, TransactionFailure<TaskError>>;

/// Creates a pending task with its blockers.
pub(super) async fn create(work: &TaskWork<'_>, new: NewTask) -> Worked<StoredTask> {
    if let Some(parent) = &new.parent {
        find(work, parent).await?;
    }
    let mut task = StoredTask {
        id: TaskId::random()?,
        list: new.list,
        description: new.description,
        status: StoredTaskStatus::Pending,
        priority: new.priority,
        parent: new.parent,
        blockers: Vec::new(),
        open_blockers: Vec::new(),
        result: None,
        claim: None,
        created: work.now(),
        updated: work.now(),
        started: None,
        finished: None,
    };
    let number = loop {
        match insert(work, &task).await? {
            Some(number) => break number,
            None => task.id = TaskId::random()?,
        }
    };
    // No task waits for a new one yet, so there can be no cycle.
    for blocker in &new.blockers {
        link(work, number, find(work, blocker).await?.number).await?;
    }
    add_event(work, number, &work.event(TaskAction::Created, None)).await?;
    work.record_change(&task).await?;
    Ok(load(work, number).await?)
}

/// Changes a task as one event of its history.
pub(super) async fn update(work: &TaskWork<'_>, id: &TaskId, edit: TaskEdit) -> Worked<StoredTask> {
    let before = find(work, id).await?;
    let mut after = before.task.clone();
    let mut changed = Vec::new();
    if let Some(parent) = edit.parent {
        if let Some(parent) = &parent {
            graph::check_parent(work, &before, &find(work, parent).await?).await?;
        }
        change(&mut after.parent, parent, "parent", &mut changed);
    }
    if let Some(description) = edit.description {
        change(&mut after.description, description, "description", &mut changed);
    }
    if let Some(priority) = edit.priority {
        change(&mut after.priority, priority, "priority", &mut changed);
    }
    if let Some(result) = edit.result {
        change(&mut after.result, Some(result), "result", &mut changed);
    }
    let moved = match edit.status {
        Some(status) => life::move_to(&mut after, status, edit.worker.as_ref(), work.now())?,
        None => None,
    };
    if moved.is_none() && changed.is_empty() {
        return Ok(after);
    }
    let detail = Some(changed.join(", ")).filter(|words| !words.is_empty());
    let event = work.event(moved.unwrap_or(TaskAction::Updated), edit.worker);
    Ok(work.record(before, after, &TaskEvent { detail, ..event }).await?)
}

/// Removes a task that no other task needs.
pub(super) async fn delete(work: &TaskWork<'_>, id: &TaskId) -> Worked<StoredTask> {
    let numbered = find(work, id).await?;
    let by = graph::needing(work, numbered.number).await?;
    if !by.is_empty() {
        return Err(TaskError::Needed { id: id.clone(), by }.into());
    }
    let sql = "DELETE FROM tasks WHERE number = $1";
    work.transaction.execute(sql, values![numbered.number]).await?;
    work.record_change(&numbered.task).await?;
    Ok(numbered.task)
}

/// Makes a task wait for another one.
pub(super) async fn add_blocker(
    work: &TaskWork<'_>,
    id: &TaskId,
    blocker: &TaskId,
) -> Worked<StoredTask> {
    let before = find(work, id).await?;
    let blocker = find(work, blocker).await?;
    graph::check_blocker(work, &before, &blocker).await?;
    if link(work, before.number, blocker.number).await? == 0 {
        return Ok(before.task);
    }
    let after = load(work, before.number).await?;
    let event = work.event(TaskAction::BlockerAdded, None);
    let detail = Some(blocker.task.id.to_string());
    Ok(work.record(before, after, &TaskEvent { detail, ..event }).await?)
}

/// Removes a blocker from a task.
pub(super) async fn remove_blocker(
    work: &TaskWork<'_>,
    id: &TaskId,
    blocker: &TaskId,
) -> Worked<StoredTask> {
    let before = find(work, id).await?;
    let blocker = find(work, blocker).await?;
    let sql = "DELETE FROM task_blockers WHERE task = $1 AND blocker = $2";
    if work.transaction.execute(sql, values![before.number, blocker.number]).await? == 0 {
        return Ok(before.task);
    }
    let after = load(work, before.number).await?;
    let event = work.event(TaskAction::BlockerRemoved, None);
    let detail = Some(blocker.task.id.to_string());
    Ok(work.record(before, after, &TaskEvent { detail, ..event }).await?)
}

fn change<T: PartialEq>(
    place: &mut T,
    value: T,
    name: &'static str,
    changed: &mut Vec<&'static str>,
) {
    if *place != value {
        *place = value;
        changed.push(name);
    }
}

/// Appends a blocker to a task's list; returns 0 if the task has it already.
async fn link(work: &TaskWork<'_>, task: i64, blocker: i64) -> Result<u64> {
    let sql = "INSERT INTO task_blockers (task, blocker, place) SELECT $1, $2, \
               (SELECT coalesce(max(place), 0) + 1 FROM task_blockers WHERE task = $1) \
               ON CONFLICT DO NOTHING";
    work.transaction.execute(sql, values![task, blocker]).await
}
