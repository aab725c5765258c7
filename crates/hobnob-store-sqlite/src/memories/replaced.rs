//! Marks memories as replaced by a newer one: they stay active, and recall ranks them below it.
//!
//! The mark is the column `superseded_by` of an active memory. `row` reads it as empty once the
//! newer memory is deleted or purged, so nothing has to be cleaned up.

use super::find::{NumberedMemory, find, find_to_change};
use super::save::{MemoryAction, replace};
use crate::convert::WorkError;
use hobnob_store::memory::{Memory, MemoryAccess, MemoryError, MemoryId, MemoryStatus};
use rusqlite::Connection;

/// The longest chain of replacements that is followed to find a circle.
const MAX_CHAIN: usize = 1_000;

/// Marks each active memory of `older` as replaced by `newer`.
pub(super) fn mark_replaced(
    connection: &Connection,
    access: &MemoryAccess,
    newer: &MemoryId,
    older: &[MemoryId],
) -> Result<Vec<Memory>, WorkError<MemoryError>> {
    let newer = find(connection, access, newer)?.memory;
    let chain = successors(connection, access, &newer)?;
    let mut marked = Vec::new();
    for id in older {
        let old = find_to_change(connection, access, id)?;
        if old.memory.scope != newer.scope || chain.contains(id) {
            let (older, newer) = (id.clone(), newer.id);
            return Err(MemoryError::NoReplacement { older, newer }.into());
        }
        marked.extend(mark(connection, access, &old, &newer.id)?);
    }
    Ok(marked)
}

fn mark(
    connection: &Connection,
    access: &MemoryAccess,
    old: &NumberedMemory,
    newer: &MemoryId,
) -> rusqlite::Result<Option<Memory>> {
    if old.memory.status != MemoryStatus::Active {
        return Ok(None);
    }
    let mut memory = old.memory.clone();
    memory.superseded_by = Some(newer.clone());
    if memory == old.memory {
        return Ok(Some(memory));
    }
    memory.updated = access.now;
    replace(connection, old, memory, MemoryAction::Replaced).map(Some)
}

/// The memory itself, the one that replaced it, the one that replaced that, and so on.
fn successors(
    connection: &Connection,
    access: &MemoryAccess,
    memory: &Memory,
) -> Result<Vec<MemoryId>, WorkError<MemoryError>> {
    let mut chain = vec![memory.id.clone()];
    let mut next = memory.superseded_by.clone();
    while let Some(id) = next
        && !chain.contains(&id)
        && chain.len() < MAX_CHAIN
    {
        next = match find(connection, access, &id) {
            Ok(found) => found.memory.superseded_by,
            Err(WorkError::Port(MemoryError::NotFound(_))) => None,
            Err(error) => return Err(error),
        };
        chain.push(id);
    }
    Ok(chain)
}
