//! Queries of tasks: the filter as SQL, pages in order of creation, and the ready tasks.
//!
//! Queries treat expired leases as ended, since a reader cannot write that they have.

use super::rows::{TextDetail, loaded, rank};
use super::transaction::TaskTransaction;
use crate::columns::word;
use crate::convert::WorkError;
use hobnob_store::cursors::{cursor_at, number_in};
use hobnob_store::memory::{Page, PageRequest, UsageCount};
use hobnob_store::tasks::{StoredTask, StoredTaskStatus, TaskError, TaskFilter, TaskId};
use rusqlite::types::Value;
use rusqlite::{Result, params_from_iter};

/// One page of tasks, oldest first.
pub(super) fn list(
    transaction: &TaskTransaction<'_>,
    filter: &TaskFilter,
    page: &PageRequest,
) -> Result<Page<StoredTask>, WorkError<TaskError>> {
    let after = match &page.after {
        Some(cursor) => number_in(cursor).ok_or(TaskError::BadCursor)?,
        None => 0,
    };
    let mut conditions = Conditions::of(transaction, "? < t.number", after.into());
    conditions.narrow(transaction, filter);
    // An expired claim counts as none.
    let now = transaction.now().millis();
    let status = "CASE WHEN t.lease <= ? THEN 'pending' ELSE t.status END";
    let words = filter.statuses.iter().map(|status| Value::from(status.as_str().to_owned()));
    conditions.any(status, Some(now.into()), words.collect());
    if let Some(worker) = &filter.worker {
        conditions
            .and("t.worker = ? AND ? < t.lease", [worker.as_str().to_owned().into(), now.into()]);
    }
    let sql = format!("SELECT t.number FROM tasks AS t WHERE {} ORDER BY t.number", conditions.sql);
    let limit = page.limit.saturating_add(1);
    let mut numbers = pick(transaction, &sql, conditions.params, filter, limit)?;
    let more = page.limit < numbers.len();
    numbers.truncate(page.limit);
    let next = numbers.last().filter(|_| more).map(|last| cursor_at(*last));
    Ok(Page { items: loaded(transaction, numbers, TextDetail::Cut)?, next })
}

/// The ready tasks by priority, then oldest first.
pub(super) fn ready(
    transaction: &TaskTransaction<'_>,
    filter: &TaskFilter,
    limit: usize,
) -> Result<Vec<i64>> {
    let pending =
        filter.statuses.is_empty() || filter.statuses.contains(&StoredTaskStatus::Pending);
    // A filter for a worker's tasks finds no ready task.
    if !pending || filter.worker.is_some() {
        return Ok(Vec::new());
    }
    let half = |index: &str, term: &str, value: Value| {
        let mut conditions = Conditions::of(transaction, term, value);
        conditions.narrow(transaction, filter);
        let sql = format!(
            "SELECT t.number AS number, t.priority AS priority FROM tasks AS t {index} WHERE {} \
             AND NOT EXISTS (SELECT 1 FROM task_blockers AS b JOIN tasks AS o \
             ON o.number = b.blocker WHERE b.task = t.number AND o.status <> 'completed')",
            conditions.sql
        );
        (sql, conditions.params)
    };
    let (open, mut params) = half("", "t.status = ?", "pending".to_owned().into());
    let (free, more) =
        half("INDEXED BY tasks_by_lease", "t.lease <= ?", transaction.now().millis().into());
    params.extend(more);
    let sql = format!("{open} UNION ALL {free} ORDER BY priority DESC, number");
    pick(transaction, &sql, params, filter, limit)
}

/// Ids that start with `prefix`, newest first.
pub(super) fn ids(
    transaction: &TaskTransaction<'_>,
    prefix: &str,
    limit: usize,
) -> Result<Vec<TaskId>> {
    let sql = "SELECT id FROM tasks WHERE owner = ?1 AND substr(id, 1, length(?2)) = ?2 \
               ORDER BY number DESC LIMIT ?3";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let ids = statement.query_map((transaction.owner(), prefix, limit), |row| {
        word(row, 0, |raw| Some(TaskId::given(raw)))
    })?;
    ids.collect()
}

/// Lists whose names start with `prefix`, most used first.
pub(super) fn lists(
    transaction: &TaskTransaction<'_>,
    prefix: &str,
    limit: usize,
) -> Result<Vec<UsageCount>> {
    let sql = "SELECT list, count(*) FROM tasks WHERE owner = ?1 \
               AND substr(list, 1, length(?2)) = ?2 \
               GROUP BY list ORDER BY count(*) DESC, list LIMIT ?3";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let counts = statement.query_map((transaction.owner(), prefix, limit), |row| {
        Ok(UsageCount { word: row.get(0)?, count: row.get::<_, i64>(1)?.unsigned_abs() })
    })?;
    counts.collect()
}

/// A condition on `tasks AS t` with the values of its placeholders, in order.
struct Conditions {
    sql: String,
    params: Vec<Value>,
}

impl Conditions {
    /// The owner's tasks for which `term` holds with this value.
    fn of(transaction: &TaskTransaction<'_>, term: &str, value: Value) -> Self {
        let sql = format!("t.owner = ? AND {term}");
        Self { sql, params: vec![transaction.owner().to_owned().into(), value] }
    }

    /// Adds the filter's list, priorities and parent.
    fn narrow(&mut self, transaction: &TaskTransaction<'_>, filter: &TaskFilter) {
        if let Some(list) = &filter.list {
            self.and("t.list = ?", [list.as_str().to_owned().into()]);
        }
        let ranks = filter.priorities.iter().map(|priority| rank(*priority).into());
        self.any("t.priority", None, ranks.collect());
        if let Some(parent) = &filter.parent {
            let owner = transaction.owner().to_owned();
            self.and(
                "t.parent = (SELECT p.number FROM tasks AS p WHERE p.id = ? AND p.owner = ?)",
                [parent.as_str().to_owned().into(), owner.into()],
            );
        }
    }

    /// Adds the condition that the expression `what` is one of these values, or none if there are
    /// no values. `inside` is the value of a placeholder in `what`.
    fn any(&mut self, what: &str, inside: Option<Value>, values: Vec<Value>) {
        if values.is_empty() {
            return;
        }
        let marks = vec!["?"; values.len()].join(", ");
        self.and(&format!("{what} IN ({marks})"), inside.into_iter().chain(values));
    }

    fn and(&mut self, term: &str, values: impl IntoIterator<Item = Value>) {
        self.sql.push_str(" AND ");
        self.sql.push_str(term);
        self.params.extend(values);
    }
}

/// The first row numbers of a query whose tasks contain the filter's text.
fn pick(
    transaction: &TaskTransaction<'_>,
    sql: &str,
    params: Vec<Value>,
    filter: &TaskFilter,
    limit: usize,
) -> Result<Vec<i64>> {
    let text = filter.contains.as_deref().map(lowercase);
    let mut statement = transaction.connection.prepare_cached(sql)?;
    let mut rows = statement.query(params_from_iter(params))?;
    let mut found = Vec::new();
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let number = row.get(0)?;
        if text.as_deref().map_or(Ok(true), |text| has_text(transaction, number, text))? {
            found.push(number);
        }
    }
    Ok(found)
}

fn has_text(transaction: &TaskTransaction<'_>, number: i64, text: &str) -> Result<bool> {
    let sql = "SELECT description FROM tasks WHERE number = ?1";
    let mut statement = transaction.connection.prepare_cached(sql)?;
    statement.query_row([number], |row| word(row, 0, |raw| Some(lowercase(raw).contains(text))))
}

/// Lower case for all scripts; SQLite's `lower` handles only ASCII.
fn lowercase(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}
