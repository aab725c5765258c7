//! Finds one memory: by its id within an access, or by its digest.
//!
//! Readers use it, and writers within their transaction.

use super::row::{COLUMNS, WIDTH, memory};
use crate::convert::WorkError;
use crate::filter::Clause;
use hobnob_store::Time;
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryError, MemoryId, MemoryScope, MissingRole, OrgRole,
};
use rusqlite::{Connection, OptionalExtension as _, Result, Row, params_from_iter};

#[cfg(test)]
mod tests;

/// A memory and its row number.
#[derive(Debug, Clone)]
pub(super) struct NumberedMemory {
    pub(super) number: i64,
    pub(super) memory: Memory,
}

/// The memory of this id, if the caller can see it.
pub(super) fn find(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
) -> std::result::Result<NumberedMemory, WorkError<MemoryError>> {
    find_by(connection, Clause::within(access), id)
}

fn find_by(
    connection: &Connection,
    mut clause: Clause,
    id: &MemoryId,
) -> std::result::Result<NumberedMemory, WorkError<MemoryError>> {
    clause.and("m.id = ?", [id.as_str().to_owned().into()]);
    let sql = format!("SELECT {COLUMNS}, m.number FROM memories AS m WHERE {}", clause.sql);
    let found = connection
        .prepare_cached(&sql)?
        .query_row(params_from_iter(clause.params), numbered)
        .optional()?;
    Ok(found.ok_or_else(|| MemoryError::NotFound(id.clone()))?)
}

/// The same, if the caller may also change it.
pub(super) fn find_to_change(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
) -> std::result::Result<NumberedMemory, WorkError<MemoryError>> {
    changeable(find(connection, access, id)?, access)
}

/// The same, even if it has expired.
pub(super) fn find_expired_to_change(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
) -> std::result::Result<NumberedMemory, WorkError<MemoryError>> {
    changeable(find_by(connection, Clause::within_or_expired(access), id)?, access)
}

fn changeable(
    numbered: NumberedMemory,
    access: &MemoryAccess,
) -> std::result::Result<NumberedMemory, WorkError<MemoryError>> {
    // Everything else within reach belongs to the caller.
    if numbered.memory.scope == MemoryScope::Org {
        let own = numbered.memory.owner == access.owner;
        let needed = if own { OrgRole::Writer } else { OrgRole::Admin };
        if access.org < Some(needed) {
            return Err(MissingRole { needed }.into());
        }
    }
    Ok(numbered)
}

/// The memory of this row number, of any owner.
pub(super) fn find_number(connection: &Connection, number: i64) -> Result<NumberedMemory> {
    let sql = format!("SELECT {COLUMNS}, m.number FROM memories AS m WHERE m.number = ?1");
    connection.prepare_cached(&sql)?.query_row([number], numbered)
}

/// An active duplicate, other than the memory of this row number.
pub(super) fn find_same(
    connection: &Connection,
    digest: &[u8],
    other_than: Option<i64>,
    now: Time,
) -> Result<Option<Memory>> {
    let found = find_same_numbered(connection, digest, other_than, now)?;
    Ok(found.map(|numbered| numbered.memory))
}

/// The same, with its row number.
pub(super) fn find_same_numbered(
    connection: &Connection,
    digest: &[u8],
    other_than: Option<i64>,
    now: Time,
) -> Result<Option<NumberedMemory>> {
    let sql = format!(
        "SELECT {COLUMNS}, m.number FROM memories AS m \
         WHERE m.digest = ?1 AND m.status = 'active' AND m.number IS NOT ?2 \
         AND (m.expires IS NULL OR ?3 < m.expires) ORDER BY m.number LIMIT 1"
    );
    connection
        .prepare_cached(&sql)?
        .query_row((digest, other_than, now.millis()), numbered)
        .optional()
}

/// Whether any owner has a memory of this id.
pub(super) fn is_taken(connection: &Connection, id: &MemoryId) -> Result<bool> {
    connection.prepare_cached("SELECT 1 FROM memories WHERE id = ?1")?.exists([id.as_str()])
}

fn numbered(row: &Row<'_>) -> Result<NumberedMemory> {
    Ok(NumberedMemory { number: row.get(WIDTH)?, memory: memory(row)? })
}
