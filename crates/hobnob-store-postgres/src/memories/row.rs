//! Converts a row of `memories AS m`, with its tags, to a memory.
//!
//! Every query that returns memories selects these columns in this order.

use crate::columns::{
    optional, optional_text, optional_time, owner, small, text, time, unread, word,
};
use crate::error::Result;
use hobnob_store::ProjectKey;
use hobnob_store::memory::{
    Memory, MemoryId, MemoryScope, MemoryStatus, Namespace, ScopeKind, Tag,
};
use tokio_postgres::Row;

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
     (SELECT string_agg(t.tag, ',') FROM memory_tags AS t WHERE t.memory = m.number)";

/// The number of these columns; further columns of a query come after them.
pub(crate) const WIDTH: usize = 14;

/// Converts a row that begins with [`COLUMNS`].
pub(crate) fn memory(row: &Row) -> Result<Memory> {
    Ok(Memory {
        id: word(row, 0, MemoryId::parse)?,
        owner: owner(row, 1)?,
        scope: scope(row)?,
        namespace: word(row, 4, |raw| Namespace::parse(raw).ok())?,
        content: text(row, 5)?,
        tags: tags(row, 13)?,
        source: optional_text(row, 6)?,
        status: word(row, 7, MemoryStatus::parse)?,
        superseded_by: match optional(row, 8, MemoryId::parse)? {
            None => None,
            Some(Some(id)) => Some(id),
            Some(None) => return Err(unread(8)),
        },
        version: small(row, 9)?,
        created: time(row, 10)?,
        updated: time(row, 11)?,
        expires: optional_time(row, 12)?,
    })
}

/// Reads tags from one comma-separated column; no tag contains a comma.
pub(super) fn tags(row: &Row, column: usize) -> Result<Vec<Tag>> {
    let joined = optional_text(row, column)?;
    let words = joined.iter().flat_map(|joined| joined.split(',')).filter(|word| !word.is_empty());
    let read = words.map(|word| Tag::parse(word).map_err(|_| unread(column)));
    let mut tags = read.collect::<Result<Vec<_>>>()?;
    tags.sort_unstable();
    Ok(tags)
}

fn scope(row: &Row) -> Result<MemoryScope> {
    Ok(match word(row, 2, ScopeKind::parse)? {
        ScopeKind::Project => MemoryScope::Project(word(row, 3, |raw| Some(ProjectKey::new(raw)))?),
        ScopeKind::User => MemoryScope::User,
        ScopeKind::Org => MemoryScope::Org,
    })
}
