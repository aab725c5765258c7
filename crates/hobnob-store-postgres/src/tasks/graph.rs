//! The graph of blockers and the graph of parts: neither may have a cycle.
//!
//! They are separate on purpose: a whole does not wait for its parts automatically, so a part that
//! waits for its whole is no deadlock. Writes that add an edge hold the owner's lock.

use super::rows::NumberedTask;
use super::work::TaskWork;
use crate::columns::{get, number, text, word};
use crate::error::{Result, TransactionFailure};
use crate::value::values;
use hobnob_store::tasks::{TaskError, TaskId};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// The blockers of a task, in the order they were added.
pub(super) async fn blockers(work: &TaskWork<'_>, task: i64) -> Result<Vec<i64>> {
    let sql = "SELECT blocker FROM task_blockers WHERE task = $1 ORDER BY place";
    work.transaction.all(sql, values![task], |row| number(row, 0)).await
}

/// The tasks that wait for a task: lists and ids.
pub(super) async fn waiting(work: &TaskWork<'_>, task: i64) -> Result<Vec<(String, String)>> {
    let sql = "SELECT t.list, t.id FROM task_blockers AS b JOIN tasks AS t ON t.number = b.task \
               WHERE b.blocker = $1 ORDER BY t.number";
    work.transaction.all(sql, values![task], |row| Ok((text(row, 0)?, text(row, 1)?))).await
}

/// The tasks that are part of a task or wait for it.
pub(super) async fn needing(work: &TaskWork<'_>, task: i64) -> Result<Vec<TaskId>> {
    let sql = "SELECT id FROM tasks WHERE parent = $1 \
               OR number IN (SELECT task FROM task_blockers WHERE blocker = $1) ORDER BY number";
    work.transaction
        .all(sql, values![task], |row| word(row, 0, |raw| Some(TaskId::given(raw))))
        .await
}

/// Fails if `blocker`, directly or indirectly, waits for the task.
pub(super) async fn check_blocker(
    work: &TaskWork<'_>,
    task: &NumberedTask,
    blocker: &NumberedTask,
) -> std::result::Result<(), TransactionFailure<TaskError>> {
    // Breadth-first search, so that the reported cycle is the shortest.
    let mut came_from = BTreeMap::from([(blocker.number, None)]);
    let mut next = VecDeque::from([blocker.number]);
    while let Some(number) = next.pop_front() {
        if number == task.number {
            return Err(cycle(work, path_from(&came_from, number)).await?.into());
        }
        for further in blockers(work, number).await? {
            came_from.entry(further).or_insert_with(|| {
                next.push_back(further);
                Some(number)
            });
        }
    }
    Ok(())
}

/// Fails if `parent`, directly or indirectly, is a part of the task.
pub(super) async fn check_parent(
    work: &TaskWork<'_>,
    task: &NumberedTask,
    parent: &NumberedTask,
) -> std::result::Result<(), TransactionFailure<TaskError>> {
    let mut chain = Vec::new();
    let mut next = Some(parent.number);
    while let Some(number) = next {
        if number == task.number {
            chain.insert(0, number);
            return Err(cycle(work, chain).await?.into());
        }
        chain.push(number);
        let sql = "SELECT parent FROM tasks WHERE number = $1";
        let above = work.transaction.first(sql, values![number], |row| get::<Option<i64>>(row, 0));
        next = above.await?.flatten();
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

async fn cycle(work: &TaskWork<'_>, numbers: Vec<i64>) -> Result<TaskError> {
    let sql = "SELECT number, id FROM tasks WHERE number = ANY($1)";
    let found = work.transaction.all(sql, values![numbers.as_slice()], |row| {
        Ok((number(row, 0)?, word(row, 1, |raw| Some(TaskId::given(raw)))?))
    });
    let ids: HashMap<i64, TaskId> = found.await?.into_iter().collect();
    Ok(TaskError::Cycle(numbers.iter().filter_map(|number| ids.get(number).cloned()).collect()))
}
