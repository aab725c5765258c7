//! Creates, changes and removes tasks, and their blockers.
//!
//! Runs inside a write transaction; cycles are detected before anything is written.

use super::graph;
use super::rows::{TextDetail, add_event, find, insert, load};
use super::transaction::TaskTransaction;
use crate::convert::WorkError;
use crate::convert::no_name;
use hobnob_store::tasks::{
    NewTask, StoredTask, StoredTaskStatus, TaskAction, TaskEdit, TaskError, TaskEvent, TaskId, life,
};
use rusqlite::OptionalExtension as _;

/// Creates a pending task with its blockers.
pub(super) fn create(
    transaction: &TaskTransaction<'_>,
    new: NewTask,
) -> Result<StoredTask, WorkError<TaskError>> {
    if let Some(parent) = &new.parent {
        find(transaction, parent)?;
    }
    let task = StoredTask {
        id: free_id(transaction)?,
        list: new.list,
        description: new.description,
        status: StoredTaskStatus::Pending,
        priority: new.priority,
        parent: new.parent,
        blockers: Vec::new(),
        open_blockers: Vec::new(),
        result: None,
        claim: None,
        created: transaction.now(),
        updated: transaction.now(),
        started: None,
        finished: None,
    };
    let number = insert(transaction, &task)?;
    // No task waits for a new one yet, so there can be no cycle.
    for blocker in &new.blockers {
        link(transaction, number, find(transaction, blocker)?.number)?;
    }
    add_event(transaction, number, &transaction.event(TaskAction::Created, None))?;
    transaction.record_change(&task)?;
    Ok(load(transaction, number, TextDetail::Whole)?)
}

/// Changes a task as one event of its history.
pub(super) fn update(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
    edit: TaskEdit,
) -> Result<StoredTask, WorkError<TaskError>> {
    let before = find(transaction, id)?;
    let mut after = before.task.clone();
    let mut changed = Vec::new();
    if let Some(parent) = edit.parent {
        if let Some(parent) = &parent {
            graph::check_parent(transaction, &before, &find(transaction, parent)?)?;
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
        Some(status) => life::move_to(&mut after, status, edit.worker.as_ref(), transaction.now())?,
        None => None,
    };
    if moved.is_none() && changed.is_empty() {
        return Ok(after);
    }
    let detail = Some(changed.join(", ")).filter(|words| !words.is_empty());
    let event = transaction.event(moved.unwrap_or(TaskAction::Updated), edit.worker);
    Ok(transaction.record(before, after, &TaskEvent { detail, ..event })?)
}

/// Removes a task that no other task needs.
pub(super) fn delete(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
) -> Result<StoredTask, WorkError<TaskError>> {
    let numbered = find(transaction, id)?;
    let by = graph::needing(transaction, numbered.number)?;
    if !by.is_empty() {
        return Err(TaskError::Needed { id: id.clone(), by }.into());
    }
    let sql = "DELETE FROM tasks WHERE number = ?1";
    transaction.connection.prepare_cached(sql)?.execute([numbered.number])?;
    transaction.record_change(&numbered.task)?;
    Ok(numbered.task)
}

/// Makes a task wait for another one.
pub(super) fn add_blocker(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
    blocker: &TaskId,
) -> Result<StoredTask, WorkError<TaskError>> {
    let before = find(transaction, id)?;
    let blocker = find(transaction, blocker)?;
    graph::check_blocker(transaction, &before, &blocker)?;
    if link(transaction, before.number, blocker.number)? == 0 {
        return Ok(before.task);
    }
    let after = load(transaction, before.number, TextDetail::Whole)?;
    let event = transaction.event(TaskAction::BlockerAdded, None);
    let detail = Some(blocker.task.id.to_string());
    Ok(transaction.record(before, after, &TaskEvent { detail, ..event })?)
}

/// Removes a blocker from a task.
pub(super) fn remove_blocker(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
    blocker: &TaskId,
) -> Result<StoredTask, WorkError<TaskError>> {
    let before = find(transaction, id)?;
    let blocker = find(transaction, blocker)?;
    let sql = "DELETE FROM task_blockers WHERE task = ?1 AND blocker = ?2";
    let pair = (before.number, blocker.number);
    if transaction.connection.prepare_cached(sql)?.execute(pair)? == 0 {
        return Ok(before.task);
    }
    let after = load(transaction, before.number, TextDetail::Whole)?;
    let event = transaction.event(TaskAction::BlockerRemoved, None);
    let detail = Some(blocker.task.id.to_string());
    Ok(transaction.record(before, after, &TaskEvent { detail, ..event })?)
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
fn link(transaction: &TaskTransaction<'_>, task: i64, blocker: i64) -> rusqlite::Result<usize> {
    let sql = "INSERT INTO task_blockers (task, blocker, place) SELECT ?1, ?2, \
               (SELECT coalesce(max(place), 0) + 1 FROM task_blockers WHERE task = ?1) \
               ON CONFLICT DO NOTHING";
    transaction.connection.prepare_cached(sql)?.execute((task, blocker))
}

/// An id that no task of any owner has.
fn free_id(transaction: &TaskTransaction<'_>) -> rusqlite::Result<TaskId> {
    let sql = "SELECT 1 FROM tasks WHERE id = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    loop {
        let id = TaskId::random().map_err(no_name)?;
        if statement.query_row([id.as_str()], |_| Ok(())).optional()?.is_none() {
            return Ok(id);
        }
    }
}
