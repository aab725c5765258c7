//! Converts a row of `memories AS m`, with its tags, to a memory.
//!
//! Every query that returns memories selects these columns in this order.

use crate::columns::{optional_time, time};
use hobnob_store::memory::{
    Memory, MemoryId, MemoryScope, MemoryStatus, Namespace, ScopeKind, Tag,
};
use hobnob_store::{Owner, ProjectKey};
use rusqlite::types::{FromSqlError, Type, ValueRef};
use rusqlite::{Error, Result, Row};

/// The columns that [`memory`] reads, starting at column 0. An active memory counts as replaced only
/// while the newer one is active and in the same place.
pub(crate) const COLUMNS: &str = "\
     m.id, m.owner, m.scope, m.project, m.namespace, m.content, m.source, m.status, \
     CASE WHEN m.status = 'active' AND m.superseded_by IS NOT NULL THEN \
         (SELECT n.id FROM memories AS n WHERE n.id = m.superseded_by AND n.status = 'active' \
          AND n.scope = m.scope AND n.project = m.project \
          AND (n.owner = m.owner OR n.scope = 'org')) \
     ELSE m.superseded_by END, \
     m.version, m.created, m.updated, m.expires, \
     (SELECT group_concat(t.tag, ',') FROM memory_tags AS t \
      WHERE t.memory = m.number)";

/// The number of these columns; further columns of a query come after them.
pub(crate) const WIDTH: usize = 14;

/// Converts a row that begins with [`COLUMNS`].
pub(crate) fn memory(row: &Row<'_>) -> Result<Memory> {
    Ok(Memory {
        id: word(row, 0, MemoryId::parse)?,
        owner: word(row, 1, |raw| Some(Owner::named(raw)))?,
        scope: scope(row)?,
        namespace: word(row, 4, |raw| Namespace::parse(raw).ok())?,
        content: row.get(5)?,
        tags: tags(row, 13)?,
        source: row.get(6)?,
        status: word(row, 7, MemoryStatus::parse)?,
        superseded_by: successor(row)?,
        version: row.get(9)?,
        created: time(row, 10)?,
        updated: time(row, 11)?,
        expires: optional_time(row, 12)?,
    })
}

/// Reads tags from one comma-separated column (no tag contains a comma). They are sorted here:
/// SQLite would build a temporary table, which takes longer than reading the rest of a memory.
pub(super) fn tags(row: &Row<'_>, column: usize) -> Result<Vec<Tag>> {
    let joined: Option<String> = row.get(column)?;
    let words = joined.iter().flat_map(|joined| joined.split(',')).filter(|word| !word.is_empty());
    let read = words.map(|word| Tag::parse(word).map_err(|_| unread(column)));
    let mut tags = read.collect::<Result<Vec<_>>>()?;
    tags.sort_unstable();
    Ok(tags)
}

/// Reads a word that this program wrote; any other word means that the file is damaged.
pub(super) fn word<T>(
    row: &Row<'_>,
    column: usize,
    parse: impl FnOnce(&str) -> Option<T>,
) -> Result<T> {
    let raw = row.get_ref(column)?.as_str().map_err(|_| unread(column))?;
    parse(raw).ok_or_else(|| unread(column))
}

fn successor(row: &Row<'_>) -> Result<Option<MemoryId>> {
    match row.get_ref(8)? {
        ValueRef::Null => Ok(None),
        _ => word(row, 8, MemoryId::parse).map(Some),
    }
}

fn scope(row: &Row<'_>) -> Result<MemoryScope> {
    Ok(match word(row, 2, ScopeKind::parse)? {
        ScopeKind::Project => MemoryScope::Project(word(row, 3, |raw| Some(ProjectKey::new(raw)))?),
        ScopeKind::User => MemoryScope::User,
        ScopeKind::Org => MemoryScope::Org,
    })
}

fn unread(column: usize) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, Box::new(FromSqlError::InvalidType))
}
