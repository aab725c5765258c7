//! Converts rows of `tasks` and `task_history` to records, and back.
//!
//! The history of a task is bounded: the first event and the newest ones stay.

use super::transaction::TaskTransaction;
use crate::columns::{optional, optional_time, time, unread, word};
use crate::convert::WorkError;
use hobnob_store::Time;
use hobnob_store::tasks::{
    Claim, ListName, MAX_TASK_EVENTS, Priority, StoredTask, StoredTaskStatus, TaskAction,
    TaskError, TaskEvent, TaskId, Worker, life,
};
use rusqlite::{OptionalExtension as _, Result, Row};

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
pub(super) fn find(
    transaction: &TaskTransaction<'_>,
    id: &TaskId,
) -> Result<NumberedTask, WorkError<TaskError>> {
    let sql = "SELECT number FROM tasks WHERE id = ?1 AND owner = ?2";
    let number = transaction
        .connection
        .prepare_cached(sql)?
        .query_row((id.as_str(), transaction.owner()), |row| row.get(0))
        .optional()?;
    let number = number.ok_or_else(|| TaskError::NotFound(id.clone()))?;
    Ok(NumberedTask { number, task: load(transaction, number, TextDetail::Whole)? })
}

/// Tasks by their numbers, as of now.
pub(super) fn loaded(
    transaction: &TaskTransaction<'_>,
    numbers: Vec<i64>,
    texts: TextDetail,
) -> Result<Vec<StoredTask>> {
    numbers.into_iter().map(|number| load(transaction, number, texts)).collect()
}

/// A task by its row number, as of now.
pub(super) fn load(
    transaction: &TaskTransaction<'_>,
    number: i64,
    texts: TextDetail,
) -> Result<StoredTask> {
    let mut task = read(transaction, number, texts)?;
    life::lapse(&mut task, transaction.now());
    Ok(task)
}

/// A task by its row number, as last written.
pub(super) fn numbered(transaction: &TaskTransaction<'_>, number: i64) -> Result<NumberedTask> {
    Ok(NumberedTask { number, task: read(transaction, number, TextDetail::Whole)? })
}

fn read(transaction: &TaskTransaction<'_>, number: i64, texts: TextDetail) -> Result<StoredTask> {
    let sql = "SELECT t.id, t.list, t.description, t.status, t.priority, \
               (SELECT p.id FROM tasks AS p WHERE p.number = t.parent), t.result, \
               t.worker, t.lease, t.created, t.updated, t.started, t.finished \
               FROM tasks AS t WHERE t.number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let mut task = statement.query_row([number], |row| task(row, texts))?;
    let sql = "SELECT o.id, o.status FROM task_blockers AS b JOIN tasks AS o \
               ON o.number = b.blocker WHERE b.task = ?1 ORDER BY b.place";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let mut rows = statement.query([number])?;
    while let Some(row) = rows.next()? {
        let blocker = word(row, 0, |raw| Some(TaskId::given(raw)))?;
        if word(row, 1, StoredTaskStatus::parse)? != StoredTaskStatus::Completed {
            task.open_blockers.push(blocker.clone());
        }
        task.blockers.push(blocker);
    }
    Ok(task)
}

fn task(row: &Row<'_>, texts: TextDetail) -> Result<StoredTask> {
    let worker = optional(row, 7, Worker::new)?;
    Ok(StoredTask {
        id: word(row, 0, |raw| Some(TaskId::given(raw)))?,
        list: word(row, 1, |raw| Some(ListName::new(raw)))?,
        description: word(row, 2, |raw| Some(texts.of(raw)))?,
        status: word(row, 3, StoredTaskStatus::parse)?,
        priority: priority(row.get(4)?).ok_or_else(|| unread(4))?,
        parent: optional(row, 5, TaskId::given)?,
        blockers: Vec::new(),
        open_blockers: Vec::new(),
        result: optional(row, 6, |raw| texts.of(raw))?,
        claim: match worker {
            Some(worker) => Some(Claim { worker, until: time(row, 8)? }),
            None => None,
        },
        created: time(row, 9)?,
        updated: time(row, 10)?,
        started: optional_time(row, 11)?,
        finished: optional_time(row, 12)?,
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
pub(super) fn save(
    transaction: &TaskTransaction<'_>,
    number: i64,
    task: &StoredTask,
) -> Result<()> {
    let sql = "UPDATE tasks SET description = ?2, status = ?3, priority = ?4, \
               parent = (SELECT number FROM tasks WHERE id = ?5), result = ?6, worker = ?7, \
               lease = ?8, updated = ?9, started = ?10, finished = ?11 WHERE number = ?1";
    let row = rusqlite::params![
        number,
        task.description,
        task.status.as_str(),
        rank(task.priority),
        task.parent.as_ref().map(TaskId::as_str),
        task.result,
        task.claim.as_ref().map(|claim| claim.worker.as_str()),
        task.claim.as_ref().map(|claim| claim.until.millis()),
        task.updated.millis(),
        task.started.map(Time::millis),
        task.finished.map(Time::millis),
    ];
    transaction.connection.prepare_cached(sql)?.execute(row).map(drop)
}

/// Inserts a new task; returns its row number.
pub(super) fn insert(transaction: &TaskTransaction<'_>, task: &StoredTask) -> Result<i64> {
    let sql = "INSERT INTO tasks (id, owner, list, description, status, priority, parent, \
               created, updated) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
               (SELECT number FROM tasks WHERE id = ?7), ?8, ?8)";
    let row = rusqlite::params![
        task.id.as_str(),
        transaction.owner(),
        task.list.as_str(),
        task.description,
        task.status.as_str(),
        rank(task.priority),
        task.parent.as_ref().map(TaskId::as_str),
        task.created.millis(),
    ];
    transaction.connection.prepare_cached(sql)?.execute(row)?;
    Ok(transaction.connection.last_insert_rowid())
}

/// Condition for the events of task `?1` that are kept and listed: the first one, since it tells
/// when the task was created, and the newest `?2`.
const RETAINED: &str = "(number = (SELECT min(number) FROM task_history WHERE task = ?1) \
     OR coalesce((SELECT number FROM task_history WHERE task = ?1 \
                  ORDER BY number DESC LIMIT 1 OFFSET ?2), 0) < number)";

/// How many of the newest events are kept, so that there are [`MAX_TASK_EVENTS`] with the first.
const MAX_NEWEST_EVENTS: i64 = MAX_TASK_EVENTS as i64 - 1;

/// Appends to a task's history and deletes what exceeds the limit, or renewals would fill the disk.
pub(super) fn add_event(
    transaction: &TaskTransaction<'_>,
    number: i64,
    event: &TaskEvent,
) -> Result<()> {
    let sql = "INSERT INTO task_history (task, at, worker, action, detail) \
               VALUES (?1, ?2, ?3, ?4, ?5)";
    let worker = event.worker.as_ref().map(Worker::as_str);
    let row = (number, event.at.millis(), worker, event.action.as_str(), &event.detail);
    transaction.connection.prepare_cached(sql)?.execute(row)?;
    let sql = format!("DELETE FROM task_history WHERE task = ?1 AND NOT {RETAINED}");
    transaction.connection.prepare_cached(&sql)?.execute((number, MAX_NEWEST_EVENTS)).map(drop)
}

/// The events of a task, oldest first. Older programs may have stored more than are listed.
pub(super) fn events(transaction: &TaskTransaction<'_>, number: i64) -> Result<Vec<TaskEvent>> {
    let sql = format!(
        "SELECT at, worker, action, detail FROM task_history WHERE task = ?1 AND {RETAINED} \
         ORDER BY number"
    );
    let mut statement = transaction.connection.prepare_cached(&sql)?;
    let events = statement.query_map((number, MAX_NEWEST_EVENTS), |row| {
        Ok(TaskEvent {
            at: time(row, 0)?,
            worker: optional(row, 1, Worker::new)?,
            action: word(row, 2, TaskAction::parse)?,
            detail: row.get(3)?,
        })
    })?;
    events.collect()
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
