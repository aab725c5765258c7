//! Queries over many memories: pages, counts, namespaces, tags.
//!
//! A page starts after the last memory of the page before, so new memories do not shift pages.

use super::row::{COLUMNS, WIDTH, memory};
use crate::convert::WorkError;
use crate::filter::Clause;
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryError, MemoryFilter, MemoryId, Page, PageRequest, UsageCount,
};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params_from_iter};

/// One page of memories, newest first.
pub(super) fn list(
    connection: &Connection,
    access: &MemoryAccess,
    filter: &MemoryFilter,
    page: &PageRequest,
) -> Result<Page<Memory>, WorkError<MemoryError>> {
    let mut clause = Clause::wanted(access, filter);
    if let Some(after) = &page.after {
        let Cursor { created, number } = Cursor::parse(after).ok_or(MemoryError::BadCursor)?;
        clause.and("(m.created, m.number) < (?, ?)", [created.into(), number.into()]);
    }
    // One more than wanted tells whether there is a next page.
    clause.params.push(sql_limit(page.limit.saturating_add(1)).into());
    // The inner query sorts row numbers alone; the outer one reads the content of the page.
    let sql = format!(
        "SELECT {COLUMNS}, m.number FROM memories AS m WHERE m.number IN (\
             SELECT m.number FROM memories AS m WHERE {} \
             ORDER BY m.created DESC, m.number DESC LIMIT ?) \
         ORDER BY m.created DESC, m.number DESC",
        clause.sql
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(clause.params))?;
    let mut part = Page { items: Vec::new(), next: None };
    let mut last = None;
    while let Some(row) = rows.next()? {
        if part.items.len() == page.limit {
            part.next = last.map(Cursor::write);
            break;
        }
        let memory = memory(row)?;
        last = Some(Cursor { created: memory.created.millis(), number: row.get(WIDTH)? });
        part.items.push(memory);
    }
    Ok(part)
}

/// The memories of these ids that match, in the order of `ids`.
pub(crate) fn by_ids(
    connection: &Connection,
    (access, filter): (&MemoryAccess, &MemoryFilter),
    ids: &[MemoryId],
) -> Result<Vec<Memory>> {
    let mut clause = Clause { sql: String::new(), params: Vec::new() };
    clause.and("m.id = ?", [Value::Null]);
    let wanted = Clause::wanted(access, filter);
    clause.and(&wanted.sql, wanted.params);
    let sql = format!("SELECT {COLUMNS} FROM memories AS m WHERE {}", clause.sql);
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found = Vec::new();
    for id in ids {
        clause.params[0] = id.as_str().to_owned().into();
        let one = statement.query_row(params_from_iter(&clause.params), memory).optional()?;
        found.extend(one);
    }
    Ok(found)
}

/// How many memories match.
pub(super) fn count(
    connection: &Connection,
    access: &MemoryAccess,
    filter: &MemoryFilter,
) -> Result<u64> {
    let clause = Clause::wanted(access, filter);
    let sql = format!("SELECT count(*) FROM memories AS m WHERE {}", clause.sql);
    let mut statement = connection.prepare_cached(&sql)?;
    statement.query_row(params_from_iter(clause.params), |row| number(row, 0))
}

/// Namespaces, most used first.
pub(super) fn namespaces(
    connection: &Connection,
    access: &MemoryAccess,
    filter: &MemoryFilter,
) -> Result<Vec<UsageCount>> {
    let clause = Clause::wanted(access, filter);
    let sql = format!(
        "SELECT m.namespace, count(*) FROM memories AS m WHERE {} \
         GROUP BY m.namespace ORDER BY count(*) DESC, m.namespace",
        clause.sql
    );
    counts(connection, &sql, clause.params)
}

/// Tags of active memories, most used first.
pub(super) fn tags(
    connection: &Connection,
    access: &MemoryAccess,
    prefix: &str,
    limit: usize,
) -> Result<Vec<UsageCount>> {
    let visible = Clause::wanted(access, &MemoryFilter::default());
    let prefix = prefix.to_lowercase();
    // A tag has at most 64 characters, so no tag with this prefix sorts after this bound.
    let last = format!("{prefix}{}", char::MAX.to_string().repeat(64));
    let sql = format!(
        "SELECT t.tag, count(*) FROM memory_tags AS t WHERE t.tag BETWEEN ? AND ? \
         AND t.memory IN (SELECT m.number FROM memories AS m WHERE {}) \
         GROUP BY t.tag ORDER BY count(*) DESC, t.tag LIMIT ?",
        visible.sql
    );
    let mut params = vec![prefix.into(), last.into()];
    params.extend(visible.params);
    params.push(sql_limit(limit).into());
    counts(connection, &sql, params)
}

fn counts(connection: &Connection, sql: &str, params: Vec<Value>) -> Result<Vec<UsageCount>> {
    let mut statement = connection.prepare_cached(sql)?;
    statement
        .query_map(params_from_iter(params), |row| {
            Ok(UsageCount { word: row.get(0)?, count: number(row, 1)? })
        })?
        .collect()
}

/// SQLite has only signed integers; a count is never negative.
fn number(row: &Row<'_>, column: usize) -> Result<u64> {
    Ok(row.get::<_, i64>(column)?.unsigned_abs())
}

fn sql_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// The position behind the last memory of a page, which may be gone by now.
#[derive(Debug, Clone, Copy)]
struct Cursor {
    created: i64,
    number: i64,
}

impl Cursor {
    fn parse(raw: &str) -> Option<Self> {
        let (created, number) = raw.split_once('.')?;
        Some(Self { created: created.parse().ok()?, number: number.parse().ok()? })
    }

    fn write(self) -> String {
        // A fixed width, since sealing does not hide the length.
        format!("{}.{:015}", self.created, self.number)
    }
}
