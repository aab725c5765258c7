//! Queries of tasks: the filter as SQL, pages in order of creation, and the ready tasks.
//!
//! Queries treat expired leases as ended, since a reader cannot write that they have.

use super::rows::{TextDetail, loaded, rank};
use super::work::TaskWork;
use crate::clause::SqlClause;
use crate::columns::{count, number, text, word};
use crate::error::{Result, TransactionFailure};
use crate::value::{SqlValue, values};
use hobnob_store::cursors::{cursor_at, number_in};
use hobnob_store::memory::{Page, PageRequest, UsageCount};
use hobnob_store::tasks::{StoredTask, StoredTaskStatus, TaskError, TaskFilter, TaskId};

/// Descriptions read at once to look for a text.
const TEXTS_PER_READ: usize = 500;

/// The condition that a task waits for nothing.
const UNBLOCKED: &str = "NOT EXISTS (SELECT 1 FROM task_blockers AS b JOIN tasks AS o \
     ON o.number = b.blocker WHERE b.task = t.number AND o.status <> 'completed')";

/// One page of tasks, oldest first.
pub(super) async fn list(
    work: &TaskWork<'_>,
    filter: &TaskFilter,
    page: &PageRequest,
) -> std::result::Result<Page<StoredTask>, TransactionFailure<TaskError>> {
    let after = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TaskError::BadCursor)?,
        None => 0,
    };
    let mut clause = narrowed(work, filter);
    clause.and("? < t.number", values![after]);
    // An expired claim counts as none.
    if !filter.statuses.is_empty() {
        let words = SqlValue::texts(filter.statuses.iter().map(|status| status.as_str()));
        let term = "CASE WHEN t.lease <= ? THEN 'pending' ELSE t.status END = ANY(?)";
        clause.and(term, &[work.now().into(), words]);
    }
    if let Some(worker) = &filter.worker {
        clause.and("t.worker = ? AND ? < t.lease", values![worker.as_str(), work.now()]);
    }
    let limit = page.limit.saturating_add(1);
    let mut numbers = pick(work, &clause, "t.number", filter, limit).await?;
    let more = page.limit < numbers.len();
    numbers.truncate(page.limit);
    let next = numbers.last().filter(|_| more).map(|last| cursor_at(*last));
    Ok(Page { items: loaded(work, &numbers, TextDetail::Cut).await?, next })
}

/// The ready tasks by priority, then oldest first.
pub(super) async fn ready(
    work: &TaskWork<'_>,
    filter: &TaskFilter,
    limit: usize,
) -> Result<Vec<i64>> {
    if !may_be_ready(filter) {
        return Ok(Vec::new());
    }
    let mut clause = narrowed(work, filter);
    clause.and("(t.status = 'pending' OR t.lease <= ?)", values![work.now()]);
    clause.and(UNBLOCKED, &[]);
    pick(work, &clause, "t.priority DESC, t.number", filter, limit).await
}

/// The first ready task that no other claim is about to take, locked until the transaction ends.
pub(super) async fn lock_ready(work: &TaskWork<'_>, filter: &TaskFilter) -> Result<Option<i64>> {
    if !may_be_ready(filter) {
        return Ok(None);
    }
    let mut clause = narrowed(work, filter);
    clause.and("t.status = 'pending'", &[]);
    clause.and(UNBLOCKED, &[]);
    let sql = format!(
        "SELECT t.number FROM tasks AS t WHERE {} ORDER BY t.priority DESC, t.number LIMIT 1 \
         FOR NO KEY UPDATE OF t SKIP LOCKED",
        clause.sql
    );
    work.transaction.first(&sql, &clause.values, |row| number(row, 0)).await
}

/// A filter for other statuses or for a worker's tasks finds no ready task.
fn may_be_ready(filter: &TaskFilter) -> bool {
    let pending =
        filter.statuses.is_empty() || filter.statuses.contains(&StoredTaskStatus::Pending);
    pending && filter.worker.is_none()
}

/// Ids that start with `prefix`, newest first.
pub(super) async fn ids(work: &TaskWork<'_>, prefix: &str, limit: usize) -> Result<Vec<TaskId>> {
    let sql = "SELECT id FROM tasks WHERE owner = $1 AND starts_with(id, $2) \
               ORDER BY number DESC LIMIT $3";
    let given = values![work.owner(), prefix, limit];
    work.transaction.all(sql, given, |row| word(row, 0, |raw| Some(TaskId::given(raw)))).await
}

/// Lists whose names start with `prefix`, most used first.
pub(super) async fn lists(
    work: &TaskWork<'_>,
    prefix: &str,
    limit: usize,
) -> Result<Vec<UsageCount>> {
    let sql = "SELECT list, count(*) FROM tasks WHERE owner = $1 AND starts_with(list, $2) \
               GROUP BY list ORDER BY count(*) DESC, list LIMIT $3";
    let given = values![work.owner(), prefix, limit];
    let read = |row: &_| Ok(UsageCount { word: text(row, 0)?, count: count(row, 1)? });
    work.transaction.all(sql, given, read).await
}

/// The owner's tasks with the filter's list, priorities and parent.
fn narrowed(work: &TaskWork<'_>, filter: &TaskFilter) -> SqlClause {
    let mut clause = SqlClause::default();
    clause.and("t.owner = ?", values![work.owner()]);
    if let Some(list) = &filter.list {
        clause.and("t.list = ?", values![list.as_str()]);
    }
    if !filter.priorities.is_empty() {
        let ranks: Vec<i64> = filter.priorities.iter().map(|priority| rank(*priority)).collect();
        clause.and("t.priority = ANY(?)", values![ranks]);
    }
    if let Some(parent) = &filter.parent {
        let term = "t.parent = (SELECT p.number FROM tasks AS p WHERE p.id = ? AND p.owner = ?)";
        clause.and(term, values![parent.as_str(), work.owner()]);
    }
    clause
}

/// The first row numbers of a query whose tasks contain the filter's text.
async fn pick(
    work: &TaskWork<'_>,
    clause: &SqlClause,
    order: &str,
    filter: &TaskFilter,
    limit: usize,
) -> Result<Vec<i64>> {
    let SqlClause { sql, values } = clause;
    let (first, second) = (values.len() + 1, values.len() + 2);
    let Some(text) = filter.contains.as_deref().map(lowercase) else {
        let sql =
            format!("SELECT t.number FROM tasks AS t WHERE {sql} ORDER BY {order} LIMIT ${first}");
        let given = [values.as_slice(), &values![limit]].concat();
        return work.transaction.all(&sql, &given, |row| number(row, 0)).await;
    };
    let sql = format!(
        "SELECT t.number, t.description FROM tasks AS t WHERE {sql} ORDER BY {order} \
         LIMIT ${first} OFFSET ${second}"
    );
    let (mut found, mut offset) = (Vec::new(), 0_usize);
    loop {
        let given = [values.as_slice(), &values![TEXTS_PER_READ, offset]].concat();
        let read = work.transaction.all(&sql, &given, |row| {
            let fits = word(row, 1, |raw| Some(lowercase(raw).contains(&text)))?;
            Ok((number(row, 0)?, fits))
        });
        let read = read.await?;
        found.extend(read.iter().filter(|(_, fits)| *fits).map(|(number, _)| *number));
        found.truncate(limit);
        if read.len() < TEXTS_PER_READ || found.len() == limit {
            return Ok(found);
        }
        offset += TEXTS_PER_READ;
    }
}

/// Lower case for all scripts, as every backend compares.
fn lowercase(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}
