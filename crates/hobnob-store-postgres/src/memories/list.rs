//! Queries over many memories: pages, counts, namespaces, tags.
//!
//! A page starts after the last memory of the page before, so new memories do not shift pages.

use super::filter::MemoryClause;
use super::find::Worked;
use super::row::{COLUMNS, WIDTH, memory};
use crate::columns::{count as read_count, number, text};
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::{SqlValue, values};
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryError, MemoryFilter, MemoryId, Page, PageRequest, UsageCount,
};
use std::collections::HashMap;

/// One page of memories, newest first.
pub(super) async fn list(
    transaction: &Transaction,
    access: &MemoryAccess,
    filter: &MemoryFilter,
    page: &PageRequest,
) -> Worked<Page<Memory>> {
    let MemoryClause(mut clause) = MemoryClause::wanted(access, filter);
    if let Some(after) = &page.after {
        let Cursor { created, number } = Cursor::parse(after).ok_or(MemoryError::BadCursor)?;
        clause.and("(m.created, m.number) < (?, ?)", values![created, number]);
    }
    // One more than wanted tells whether there is a next page.
    clause.values.push(page.limit.saturating_add(1).into());
    // The inner query sorts row numbers alone; the outer one reads the content of the page.
    let sql = format!(
        "SELECT {COLUMNS}, m.number FROM memories AS m WHERE m.number IN (\
             SELECT m.number FROM memories AS m WHERE {} \
             ORDER BY m.created DESC, m.number DESC LIMIT ${}) \
         ORDER BY m.created DESC, m.number DESC",
        clause.sql,
        clause.values.len()
    );
    let read = |row: &_| Ok((number(row, WIDTH)?, memory(row)?));
    let mut rows = transaction.all(&sql, &clause.values, read).await?;
    let more = page.limit < rows.len();
    rows.truncate(page.limit);
    let last = rows.last().filter(|_| more);
    let last = last.map(|(number, it)| Cursor { created: it.created.millis(), number: *number });
    let items = rows.into_iter().map(|(_, memory)| memory).collect();
    Ok(Page { items, next: last.map(Cursor::write) })
}

/// The memories of these ids that match, in the order of `ids`.
pub(crate) async fn by_ids(
    transaction: &Transaction,
    (access, filter): (&MemoryAccess, &MemoryFilter),
    ids: &[MemoryId],
) -> Result<Vec<Memory>> {
    let MemoryClause(mut clause) = MemoryClause::wanted(access, filter);
    clause.and("m.id = ANY(?)", &[SqlValue::texts(ids.iter().map(MemoryId::as_str))]);
    let sql = format!("SELECT {COLUMNS} FROM memories AS m WHERE {}", clause.sql);
    let found = transaction.all(&sql, &clause.values, memory).await?;
    let found: HashMap<MemoryId, Memory> =
        found.into_iter().map(|memory| (memory.id.clone(), memory)).collect();
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// How many memories match.
pub(super) async fn count(
    transaction: &Transaction,
    access: &MemoryAccess,
    filter: &MemoryFilter,
) -> Result<u64> {
    let MemoryClause(clause) = MemoryClause::wanted(access, filter);
    let sql = format!("SELECT count(*) FROM memories AS m WHERE {}", clause.sql);
    transaction.one(&sql, &clause.values, |row| read_count(row, 0)).await
}

/// Namespaces, most used first.
pub(super) async fn namespaces(
    transaction: &Transaction,
    access: &MemoryAccess,
    filter: &MemoryFilter,
) -> Result<Vec<UsageCount>> {
    let MemoryClause(clause) = MemoryClause::wanted(access, filter);
    let sql = format!(
        "SELECT m.namespace, count(*) FROM memories AS m WHERE {} \
         GROUP BY m.namespace ORDER BY count(*) DESC, m.namespace",
        clause.sql
    );
    counts(transaction, &sql, &clause.values).await
}

/// Tags of active memories, most used first.
pub(super) async fn tags(
    transaction: &Transaction,
    access: &MemoryAccess,
    prefix: &str,
    limit: usize,
) -> Result<Vec<UsageCount>> {
    let MemoryClause(mut clause) = MemoryClause::wanted(access, &MemoryFilter::default());
    clause.and("starts_with(g.tag, ?)", values![prefix.to_lowercase()]);
    clause.values.push(limit.into());
    let sql = format!(
        "SELECT g.tag, count(*) FROM memory_tags AS g JOIN memories AS m ON m.number = g.memory \
         WHERE {} GROUP BY g.tag ORDER BY count(*) DESC, g.tag LIMIT ${}",
        clause.sql,
        clause.values.len()
    );
    counts(transaction, &sql, &clause.values).await
}

async fn counts(
    transaction: &Transaction,
    sql: &str,
    values: &[SqlValue],
) -> Result<Vec<UsageCount>> {
    let read = |row: &_| Ok(UsageCount { word: text(row, 0)?, count: read_count(row, 1)? });
    transaction.all(sql, values, read).await
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
