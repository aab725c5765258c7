//! Memories that change, go and come back.

use super::capture::sorted;
use super::digest::digest;
use super::find::{Kept, find, find_own, find_own_ever, find_same};
use super::row::{tags, word};
use super::save::{Action, remove, replace};
use crate::memory::{Edit, Memory, MemoryError, MemoryId, Namespace, Past, Reach, Status};
use rusqlite::{Connection, Row};

/// Changes one.
pub(super) fn update(
    connection: &Connection,
    reach: &Reach,
    id: &MemoryId,
    edit: Edit,
) -> Result<Memory, MemoryError> {
    let old = find_own(connection, reach, id)?;
    let found = old.memory.version;
    if let Some(expected) = edit.expected_version
        && expected != found
    {
        return Err(MemoryError::Changed { id: id.clone(), found, expected });
    }
    let mut new = edited(old.memory.clone(), edit);
    if new == old.memory {
        return Ok(new);
    }
    new.updated = reach.now;
    if new.status == Status::Active {
        refuse_same(connection, reach, &old, &new)?;
    }
    Ok(replace(connection, &old, new, Action::Updated)?)
}

/// Deletes one so that it can be restored.
pub(super) fn delete(
    connection: &Connection,
    reach: &Reach,
    id: &MemoryId,
) -> Result<Memory, MemoryError> {
    let old = find_own(connection, reach, id)?;
    let mut new = old.memory.clone();
    if new.status == Status::Deleted {
        return Ok(new);
    }
    new.status = Status::Deleted;
    new.updated = reach.now;
    Ok(replace(connection, &old, new, Action::Deleted)?)
}

/// Makes one active again, even if it has expired and no clean-up has come by yet.
pub(super) fn restore(
    connection: &Connection,
    reach: &Reach,
    id: &MemoryId,
) -> Result<Memory, MemoryError> {
    let old = find_own_ever(connection, reach, id)?;
    let mut new = old.memory.clone();
    new.status = Status::Active;
    new.superseded_by = None;
    // With an end that is past it would be gone again at once.
    new.expires = new.expires.filter(|end| reach.now < *end);
    if new == old.memory {
        return Ok(new);
    }
    new.updated = reach.now;
    refuse_same(connection, reach, &old, &new)?;
    Ok(replace(connection, &old, new, Action::Restored)?)
}

/// Removes one for good.
pub(super) fn purge(
    connection: &Connection,
    reach: &Reach,
    id: &MemoryId,
) -> Result<(), MemoryError> {
    let kept = find_own(connection, reach, id)?;
    Ok(remove(connection, &kept)?)
}

/// What one has been.
pub(super) fn history(
    connection: &Connection,
    reach: &Reach,
    id: &MemoryId,
) -> Result<Vec<Past>, MemoryError> {
    let number = find(connection, reach, id)?.number;
    let sql = "SELECT version, content, namespace, tags, status, since, action \
               FROM memory_history WHERE memory = ?1 ORDER BY version";
    let mut statement = connection.prepare_cached(sql)?;
    let past = statement.query_map([number], past)?.collect::<Result<_, _>>()?;
    Ok(past)
}

fn edited(mut memory: Memory, edit: Edit) -> Memory {
    let Edit { content, namespace, tags, source, expires, expected_version: _ } = edit;
    memory.content = content.unwrap_or(memory.content);
    memory.namespace = namespace.unwrap_or(memory.namespace);
    memory.tags = tags.map_or(memory.tags, sorted);
    memory.source = source.unwrap_or(memory.source);
    memory.expires = expires.unwrap_or(memory.expires);
    memory
}

fn refuse_same(
    connection: &Connection,
    reach: &Reach,
    old: &Kept,
    new: &Memory,
) -> Result<(), MemoryError> {
    let digest = digest(&new.owner, &new.scope, &new.namespace, &new.content);
    match find_same(connection, &digest, Some(old.number), reach.now)? {
        Some(same) => Err(MemoryError::Same(same.id)),
        None => Ok(()),
    }
}

fn past(row: &Row<'_>) -> rusqlite::Result<Past> {
    Ok(Past {
        version: row.get(0)?,
        content: row.get(1)?,
        namespace: word(row, 2, |raw| Namespace::parse(raw).ok())?,
        tags: tags(row, 3)?,
        status: word(row, 4, Status::parse)?,
        since: row.get(5)?,
        action: row.get(6)?,
    })
}
