//! Making, changing and removing tasks, and who waits for whom.

use super::graph;
use super::ledger::Ledger;
use super::rows::{Texts, add_step, find, insert, load};
use crate::tasks::{Action, NewTask, Step, Task, TaskEdit, TaskError, TaskId, TaskStatus, life};
use rusqlite::OptionalExtension as _;

/// Makes a task.
pub(super) fn create(ledger: &Ledger<'_>, new: NewTask) -> Result<Task, TaskError> {
    if let Some(parent) = &new.parent {
        find(ledger, parent)?;
    }
    let task = Task {
        id: free_id(ledger)?,
        list: new.list,
        description: new.description,
        status: TaskStatus::Pending,
        priority: new.priority,
        parent: new.parent,
        blockers: Vec::new(),
        open_blockers: Vec::new(),
        result: None,
        claim: None,
        created: ledger.now(),
        updated: ledger.now(),
        started: None,
        finished: None,
    };
    let number = insert(ledger, &task)?;
    // Nothing waits for a new task yet, so there can be no cycle.
    for blocker in &new.blockers {
        link(ledger, number, find(ledger, blocker)?.number)?;
    }
    add_step(ledger, number, &ledger.step(Action::Created, None))?;
    ledger.tell(&task)?;
    Ok(load(ledger, number, Texts::Whole)?)
}

/// Changes a task, in one step of its history.
pub(super) fn update(ledger: &Ledger<'_>, id: &TaskId, edit: TaskEdit) -> Result<Task, TaskError> {
    let before = find(ledger, id)?;
    let mut after = before.task.clone();
    let mut changed = Vec::new();
    if let Some(parent) = edit.parent {
        if let Some(parent) = &parent {
            graph::check_parent(ledger, &before, &find(ledger, parent)?)?;
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
        Some(status) => life::move_to(&mut after, status, edit.worker.as_ref(), ledger.now())?,
        None => None,
    };
    if moved.is_none() && changed.is_empty() {
        return Ok(after);
    }
    let detail = Some(changed.join(", ")).filter(|words| !words.is_empty());
    let step = ledger.step(moved.unwrap_or(Action::Updated), edit.worker);
    Ok(ledger.record(before, after, &Step { detail, ..step })?)
}

/// Removes a task.
pub(super) fn delete(ledger: &Ledger<'_>, id: &TaskId) -> Result<Task, TaskError> {
    let kept = find(ledger, id)?;
    let by = graph::needing(ledger, kept.number)?;
    if !by.is_empty() {
        return Err(TaskError::Needed { id: id.clone(), by });
    }
    let sql = "DELETE FROM tasks WHERE number = ?1";
    ledger.connection.prepare_cached(sql)?.execute([kept.number])?;
    ledger.tell(&kept.task)?;
    Ok(kept.task)
}

/// Makes a task wait for another.
pub(super) fn add_blocker(
    ledger: &Ledger<'_>,
    id: &TaskId,
    blocker: &TaskId,
) -> Result<Task, TaskError> {
    let before = find(ledger, id)?;
    let blocker = find(ledger, blocker)?;
    graph::check_blocker(ledger, &before, &blocker)?;
    if link(ledger, before.number, blocker.number)? == 0 {
        return Ok(before.task);
    }
    let after = load(ledger, before.number, Texts::Whole)?;
    let step = ledger.step(Action::BlockerAdded, None);
    let detail = Some(blocker.task.id.to_string());
    Ok(ledger.record(before, after, &Step { detail, ..step })?)
}

/// Makes a task wait for another no longer.
pub(super) fn remove_blocker(
    ledger: &Ledger<'_>,
    id: &TaskId,
    blocker: &TaskId,
) -> Result<Task, TaskError> {
    let before = find(ledger, id)?;
    let blocker = find(ledger, blocker)?;
    let sql = "DELETE FROM task_blockers WHERE task = ?1 AND blocker = ?2";
    let pair = (before.number, blocker.number);
    if ledger.connection.prepare_cached(sql)?.execute(pair)? == 0 {
        return Ok(before.task);
    }
    let after = load(ledger, before.number, Texts::Whole)?;
    let step = ledger.step(Action::BlockerRemoved, None);
    let detail = Some(blocker.task.id.to_string());
    Ok(ledger.record(before, after, &Step { detail, ..step })?)
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

/// Puts a blocker behind those that are there; nothing if it is one already.
fn link(ledger: &Ledger<'_>, task: i64, blocker: i64) -> rusqlite::Result<usize> {
    let sql = "INSERT INTO task_blockers (task, blocker, place) SELECT ?1, ?2, \
               (SELECT coalesce(max(place), 0) + 1 FROM task_blockers WHERE task = ?1) \
               ON CONFLICT DO NOTHING";
    ledger.connection.prepare_cached(sql)?.execute((task, blocker))
}

/// An id that nobody has, whoever they are.
fn free_id(ledger: &Ledger<'_>) -> rusqlite::Result<TaskId> {
    let sql = "SELECT 1 FROM tasks WHERE id = ?1";
    let mut statement = ledger.connection.prepare_cached(sql)?;
    loop {
        let id = TaskId::random();
        if statement.query_row([id.as_str()], |_| Ok(())).optional()?.is_none() {
            return Ok(id);
        }
    }
}
