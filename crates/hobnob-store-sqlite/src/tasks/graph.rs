//! The graph of blockers and the graph of parts: neither may have a cycle.
//!
//! They are separate on purpose: a whole does not wait for its parts automatically, so a part that
//! waits for its whole is no deadlock.

use super::rows::NumberedTask;
use super::transaction::TaskTransaction;
use crate::columns::word;
use crate::convert::WorkError;
use hobnob_store::tasks::{TaskError, TaskId};
use rusqlite::{OptionalExtension as _, Result};
use std::collections::{BTreeMap, VecDeque};

/// The blockers of a task, in the order they were added.
pub(super) fn blockers(transaction: &TaskTransaction<'_>, number: i64) -> Result<Vec<i64>> {
    let sql = "SELECT blocker FROM task_blockers WHERE task = ?1 ORDER BY place";
    transaction.connection.prepare_cached(sql)?.query_map([number], |row| row.get(0))?.collect()
}

/// The tasks that wait for a task: lists and ids.
pub(super) fn waiting(
    transaction: &TaskTransaction<'_>,
    number: i64,
) -> Result<Vec<(String, String)>> {
    let sql = "SELECT t.list, t.id FROM task_blockers AS b JOIN tasks AS t ON t.number = b.task \
               WHERE b.blocker = ?1 ORDER BY t.number";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    statement.query_map([number], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// The tasks that are part of a task or wait for it.
pub(super) fn needing(transaction: &TaskTransaction<'_>, number: i64) -> Result<Vec<TaskId>> {
    let sql = "SELECT id FROM tasks WHERE parent = ?1 \
               OR number IN (SELECT task FROM task_blockers WHERE blocker = ?1) ORDER BY number";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let ids = statement.query_map([number], |row| word(row, 0, |raw| Some(TaskId::given(raw))))?;
    ids.collect()
}

/// Fails if `blocker`, directly or indirectly, waits for the task.
pub(super) fn check_blocker(
    transaction: &TaskTransaction<'_>,
    task: &NumberedTask,
    blocker: &NumberedTask,
) -> Result<(), WorkError<TaskError>> {
    // Breadth-first search, so that the reported cycle is the shortest.
    let mut came_from = BTreeMap::from([(blocker.number, None)]);
    let mut next = VecDeque::from([blocker.number]);
    while let Some(number) = next.pop_front() {
        if number == task.number {
            return Err(cycle(transaction, path_from(&came_from, number))?.into());
        }
        for further in blockers(transaction, number)? {
            came_from.entry(further).or_insert_with(|| {
                next.push_back(further);
                Some(number)
            });
        }
    }
    Ok(())
}

/// Fails if `parent`, directly or indirectly, is a part of the task.
pub(super) fn check_parent(
    transaction: &TaskTransaction<'_>,
    task: &NumberedTask,
    parent: &NumberedTask,
) -> Result<(), WorkError<TaskError>> {
    let mut chain = Vec::new();
    let mut next = Some(parent.number);
    while let Some(number) = next {
        if number == task.number {
            chain.insert(0, number);
            return Err(cycle(transaction, chain)?.into());
        }
        chain.push(number);
        let sql = "SELECT parent FROM tasks WHERE number = ?1";
        let mut statement = transaction.connection.prepare_cached(sql)?;
        next = statement.query_row([number], |row| row.get(0)).optional()?.flatten();
    }
    Ok(())
}

/// The path from `last` back to the start of the search, which the new edge closes to a cycle: the
/// task first, then the task it is to wait for, and so on.
fn path_from(came_from: &BTreeMap<i64, Option<i64>>, last: i64) -> Vec<i64> {
    let mut back = Vec::new();
    let mut at = came_from.get(&last).copied().flatten();
    while let Some(number) = at {
        back.push(number);
        at = came_from.get(&number).copied().flatten();
    }
    back.push(last);
    back.reverse();
    back
}

fn cycle(transaction: &TaskTransaction<'_>, numbers: Vec<i64>) -> Result<TaskError> {
    let sql = "SELECT id FROM tasks WHERE number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let ids = numbers.into_iter().map(|number| {
        statement.query_row([number], |row| word(row, 0, |raw| Some(TaskId::given(raw))))
    });
    Ok(TaskError::Cycle(ids.collect::<Result<_>>()?))
}
