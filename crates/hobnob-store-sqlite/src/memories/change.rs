//! Updates, deletes, restores and purges memories.
//!
//! Each operation writes the old version to the history, except a purge, which leaves nothing.

use super::capture::sorted;
use super::find::{NumberedMemory, find, find_expired_to_change, find_same, find_to_change};
use super::row::{tags, word};
use super::save::{MemoryAction, remove, replace};
use crate::columns::time;
use crate::convert::WorkError;
use hobnob_store::memory::digest;
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryEdit, MemoryError, MemoryId, MemoryStatus, MemoryVersion, Namespace,
};
use rusqlite::{Connection, Row};

/// Updates a memory and stores the old version.
pub(super) fn update(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
    edit: MemoryEdit,
) -> Result<Memory, WorkError<MemoryError>> {
    let old = find_to_change(connection, access, id)?;
    let found = old.memory.version;
    if let Some(expected) = edit.expected_version
        && expected != found
    {
        return Err(MemoryError::Changed { id: id.clone(), found, expected }.into());
    }
    let mut new = edited(old.memory.clone(), edit);
    if new == old.memory {
        return Ok(new);
    }
    new.updated = access.now;
    if new.status == MemoryStatus::Active {
        if new.content != old.memory.content {
            // What it says now was written after the memory that replaced it.
            new.superseded_by = None;
        }
        refuse_same(connection, access, &old, &new)?;
    }
    Ok(replace(connection, &old, new, MemoryAction::Updated)?)
}

/// Deletes a memory so that it can be restored.
pub(super) fn delete(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Result<Memory, WorkError<MemoryError>> {
    let old = find_to_change(connection, access, id)?;
    let mut new = old.memory.clone();
    if new.status == MemoryStatus::Deleted {
        return Ok(new);
    }
    new.status = MemoryStatus::Deleted;
    new.updated = access.now;
    Ok(replace(connection, &old, new, MemoryAction::Deleted)?)
}

/// Makes a memory active again, even if it has expired and no clean-up has deleted it yet.
pub(super) fn restore(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Result<Memory, WorkError<MemoryError>> {
    let old = find_expired_to_change(connection, access, id)?;
    let mut new = old.memory.clone();
    new.status = MemoryStatus::Active;
    new.superseded_by = None;
    // A past expiry time would hide it again at once.
    new.expires = new.expires.filter(|end| access.now < *end);
    if new == old.memory {
        return Ok(new);
    }
    new.updated = access.now;
    refuse_same(connection, access, &old, &new)?;
    Ok(replace(connection, &old, new, MemoryAction::Restored)?)
}

/// Removes a memory for good.
pub(super) fn purge(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Result<(), WorkError<MemoryError>> {
    let numbered = find_to_change(connection, access, id)?;
    Ok(remove(connection, &numbered)?)
}

/// The versions of a memory.
pub(super) fn history(
    connection: &Connection,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Result<Vec<MemoryVersion>, WorkError<MemoryError>> {
    let number = find(connection, access, id)?.number;
    let sql = "SELECT version, content, namespace, tags, status, since, action \
               FROM memory_history WHERE memory = ?1 ORDER BY version";
    let mut statement = connection.prepare_cached(sql)?;
    let past = statement.query_map([number], past)?.collect::<Result<_, _>>()?;
    Ok(past)
}

fn edited(mut memory: Memory, edit: MemoryEdit) -> Memory {
    let MemoryEdit { content, namespace, tags, source, expires, expected_version: _ } = edit;
    memory.content = content.unwrap_or(memory.content);
    memory.namespace = namespace.unwrap_or(memory.namespace);
    memory.tags = tags.map_or(memory.tags, sorted);
    memory.source = source.unwrap_or(memory.source);
    memory.expires = expires.unwrap_or(memory.expires);
    memory
}

fn refuse_same(
    connection: &Connection,
    access: &MemoryAccess,
    old: &NumberedMemory,
    new: &Memory,
) -> Result<(), WorkError<MemoryError>> {
    let digest = digest(&new.owner, &new.scope, &new.namespace, &new.content);
    match find_same(connection, &digest, Some(old.number), access.now)? {
        Some(same) => Err(MemoryError::Same(same.id).into()),
        None => Ok(()),
    }
}

fn past(row: &Row<'_>) -> rusqlite::Result<MemoryVersion> {
    Ok(MemoryVersion {
        version: row.get(0)?,
        content: row.get(1)?,
        namespace: word(row, 2, |raw| Namespace::parse(raw).ok())?,
        tags: tags(row, 3)?,
        status: word(row, 4, MemoryStatus::parse)?,
        since: time(row, 5)?,
        action: row.get(6)?,
    })
}
