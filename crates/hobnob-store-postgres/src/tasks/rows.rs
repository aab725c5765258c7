//! Converts rows of `tasks` and `task_history` to records, and back.
//!
//! The history of a task is bounded: the first event and the newest ones stay.

use super::work::TaskWork;
use crate::columns::{number, optional, optional_text, optional_time, time, unread, word};
use crate::error::{Result, TransactionFailure};
use crate::value::values;
use hobnob_store::StoreError;
use hobnob_store::tasks::{
    Claim, ListName, MAX_TASK_EVENTS, Priority, StoredTask, StoredTaskStatus, TaskAction,
    TaskError, TaskEvent, TaskId, Worker, life,
};
use std::collections::HashMap;
use tokio_postgres::Row;

/// Characters of a text that a list returns.
const MAX_LISTED_CHARACTERS: usize = 2_000;

/// How much of a task's texts to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextDetail {
    /// Every column of the row.
    Whole,
    /// The texts truncated for a list.
    Cut,
}

/// A task and its row number.
#[derive(Debug, Clone)]
pub(super) struct NumberedTask {
    pub(super) number: i64,
    pub(super) task: StoredTask,
}

/// The owner's task of this id, as of now.
pub(super) async fn find(
    work: &TaskWork<'_>,
    id: &TaskId,
) -> std::result::Result<NumberedTask, TransactionFailure<TaskError>> {
    let sql = "SELECT number FROM tasks WHERE id = $1 AND owner = $2";
    let found =
        work.transaction.first(sql, values![id.as_str(), work.owner()], |row| number(row, 0));
    let number = found.await?.ok_or_else(|| TaskError::NotFound(id.clone()))?;
    Ok(NumberedTask { number, task: load(work, number).await? })
}

/// Tasks by their numbers, as of now, in the order of the numbers.
pub(super) async fn loaded(
    work: &TaskWork<'_>,
    numbers: &[i64],
    texts: TextDetail,
) -> Result<Vec<StoredTask>> {
    let mut tasks = read(work, numbers, texts).await?;
    for task in &mut tasks {
        life::lapse(task, work.now());
    }
    Ok(tasks)
}

/// A task by its row number, as of now.
pub(super) async fn load(work: &TaskWork<'_>, number: i64) -> Result<StoredTask> {
    let mut task = numbered(work, number).await?.task;
    life::lapse(&mut task, work.now());
    Ok(task)
}

/// A task by its row number, as last written.
pub(super) async fn numbered(work: &TaskWork<'_>, number: i64) -> Result<NumberedTask> {
    let task = read(work, &[number], TextDetail::Whole).await?.pop();
    let missing = || StoreError::Damaged("a task that another row names is missing".into());
    Ok(NumberedTask { number, task: task.ok_or_else(missing)? })
}

async fn read(work: &TaskWork<'_>, numbers: &[i64], texts: TextDetail) -> Result<Vec<StoredTask>> {
    let sql = "SELECT t.number, t.id, t.list, t.description, t.status, t.priority, \
               (SELECT p.id FROM tasks AS p WHERE p.number = t.parent), t.result, \
               t.worker, t.lease, t.created, t.updated, t.started, t.finished \
               FROM tasks AS t WHERE t.number = ANY($1)";
    let found =
        work.transaction.all(sql, values![numbers], |row| Ok((number(row, 0)?, task(row, texts)?)));
    let mut tasks: HashMap<i64, StoredTask> = found.await?.into_iter().collect();
    let sql = "SELECT b.task, o.id, o.status FROM task_blockers AS b JOIN tasks AS o \
               ON o.number = b.blocker WHERE b.task = ANY($1) ORDER BY b.task, b.place";
    let blockers = work.transaction.all(sql, values![numbers], |row| {
        let id = word(row, 1, |raw| Some(TaskId::given(raw)))?;
        Ok((number(row, 0)?, id, word(row, 2, StoredTaskStatus::parse)?))
    });
    for (number, blocker, status) in blockers.await? {
        let Some(task) = tasks.get_mut(&number) else { continue };
        if status != StoredTaskStatus::Completed {
            task.open_blockers.push(blocker.clone());
        }
        task.blockers.push(blocker);
    }
    Ok(numbers.iter().filter_map(|number| tasks.remove(number)).collect())
}

fn task(row: &Row, texts: TextDetail) -> Result<StoredTask> {
    let worker = optional(row, 8, Worker::new)?;
    Ok(StoredTask {
        id: word(row, 1, |raw| Some(TaskId::given(raw)))?,
        list: word(row, 2, |raw| Some(ListName::new(raw)))?,
        description: word(row, 3, |raw| Some(texts.of(raw)))?,
        status: word(row, 4, StoredTaskStatus::parse)?,
        priority: priority(number(row, 5)?).ok_or_else(|| unread(5))?,
        parent: optional(row, 6, TaskId::given)?,
        blockers: Vec::new(),
        open_blockers: Vec::new(),
        result: optional(row, 7, |raw| texts.of(raw))?,
        claim: match worker {
            Some(worker) => Some(Claim { worker, until: time(row, 9)? }),
            None => None,
        },
        created: time(row, 10)?,
        updated: time(row, 11)?,
        started: optional_time(row, 12)?,
        finished: optional_time(row, 13)?,
    })
}

impl TextDetail {
    fn of(self, text: &str) -> String {
        match (self, text.char_indices().nth(MAX_LISTED_CHARACTERS)) {
            (Self::Cut, Some((end, _))) => format!("{}…", &text[..end]),
            _ => text.to_owned(),
        }
    }
}

/// Overwrites a task's row. Its blockers are rows of their own.
pub(super) async fn save(work: &TaskWork<'_>, number: i64, task: &StoredTask) -> Result<()> {
    let sql = "UPDATE tasks SET description = $2, status = $3, priority = $4, \
               parent = (SELECT p.number FROM tasks AS p WHERE p.id = $5), result = $6, \
               worker = $7, lease = $8, updated = $9, started = $10, finished = $11 \
               WHERE number = $1";
    let row = values![
        number,
        &task.description,
        task.status.as_str(),
        rank(task.priority),
        task.parent.as_ref().map(TaskId::as_str),
        &task.result,
        task.claim.as_ref().map(|claim| claim.worker.as_str()),
        task.claim.as_ref().map(|claim| claim.until),
        task.updated,
        task.started,
        task.finished,
    ];
    work.transaction.execute(sql, row).await?;
    Ok(())
}

/// Inserts a new task; returns its row number, or `None` if any task has its id.
pub(super) async fn insert(work: &TaskWork<'_>, task: &StoredTask) -> Result<Option<i64>> {
    let sql = "INSERT INTO tasks (id, owner, list, description, status, priority, parent, \
               created, updated) VALUES ($1, $2, $3, $4, $5, $6, \
               (SELECT number FROM tasks WHERE id = $7), $8, $8) \
               ON CONFLICT (id) DO NOTHING RETURNING number";
    let row = values![
        task.id.as_str(),
        work.owner(),
        task.list.as_str(),
        &task.description,
        task.status.as_str(),
        rank(task.priority),
        task.parent.as_ref().map(TaskId::as_str),
        task.created,
    ];
    work.transaction.first(sql, row, |row| number(row, 0)).await
}

/// Condition for the events of task `$1` that are kept and listed: the first one, since it tells
/// when the task was created, and the newest `$2`.
const RETAINED: &str = "(number = (SELECT min(number) FROM task_history WHERE task = $1) \
     OR coalesce((SELECT number FROM task_history WHERE task = $1 \
                  ORDER BY number DESC LIMIT 1 OFFSET $2), 0) < number)";

/// How many of the newest events are kept, so that there are [`MAX_TASK_EVENTS`] with the first.
const MAX_NEWEST_EVENTS: usize = MAX_TASK_EVENTS - 1;

/// Appends to a task's history and deletes what exceeds the limit, or renewals would fill the disk.
pub(super) async fn add_event(work: &TaskWork<'_>, number: i64, event: &TaskEvent) -> Result<()> {
    let sql = "INSERT INTO task_history (task, at, worker, action, detail) \
               VALUES ($1, $2, $3, $4, $5)";
    let worker = event.worker.as_ref().map(Worker::as_str);
    let row = values![number, event.at, worker, event.action.as_str(), &event.detail];
    work.transaction.execute(sql, row).await?;
    let sql = format!("DELETE FROM task_history WHERE task = $1 AND NOT {RETAINED}");
    work.transaction.execute(&sql, values![number, MAX_NEWEST_EVENTS]).await?;
    Ok(())
}

/// The events of a task, oldest first.
pub(super) async fn events(work: &TaskWork<'_>, number: i64) -> Result<Vec<TaskEvent>> {
    let sql = format!(
        "SELECT at, worker, action, detail FROM task_history WHERE task = $1 AND {RETAINED} \
         ORDER BY number"
    );
    let events = work.transaction.all(&sql, values![number, MAX_NEWEST_EVENTS], |row| {
        Ok(TaskEvent {
            at: time(row, 0)?,
            worker: optional(row, 1, Worker::new)?,
            action: word(row, 2, TaskAction::parse)?,
            detail: optional_text(row, 3)?,
        })
    });
    events.await
}

/// The rank of a priority in the tables; higher ranks come first.
pub(super) fn rank(priority: Priority) -> i64 {
    match priority {
        Priority::Low => 0,
        Priority::Normal => 1,
        Priority::High => 2,
        Priority::Urgent => 3,
    }
}

fn priority(rank_found: i64) -> Option<Priority> {
    Priority::ALL.into_iter().find(|priority| rank(*priority) == rank_found)
}
