//! Captures new memories, unless a duplicate exists.
//!
//! The lookup and the insert are one transaction, so no other write comes between.

use super::find::{find_same, find_to_change, is_taken};
use super::save::{MemoryAction, insert, replace};
use crate::convert::WorkError;
use crate::convert::no_name;
use hobnob_store::Time;
use hobnob_store::memory::digest;
use hobnob_store::memory::{
    Captured, Memory, MemoryAccess, MemoryError, MemoryId, MemoryStatus, NewMemory, Sketch, Tag,
};
use rusqlite::{Connection, Result};
use std::time::SystemTime;

/// Stores a memory unless a duplicate exists.
pub(super) fn capture(connection: &Connection, new: NewMemory) -> Result<Captured> {
    let digest = digest(&new.owner, new.scope.get(), &new.namespace, &new.content);
    // An import brings its own creation time, so expiry is checked against the system clock.
    if let Some(same) = find_same(connection, &digest, None, Time::now())? {
        return Ok(Captured::Same(same));
    }
    let sketch = Sketch::of(&new.owner, new.scope.get(), &new.namespace, &new.content);
    Ok(Captured::New(store_new(connection, new, &digest, &sketch)?))
}

/// Stores a memory that is known to have no duplicate.
pub(super) fn store_new(
    connection: &Connection,
    new: NewMemory,
    digest: &[u8],
    sketch: &Sketch,
) -> Result<Memory> {
    let id = free_id(connection, new.id)?;
    let arrived = arrival(new.arrived_micros);
    let memory = Memory {
        id,
        owner: new.owner,
        scope: new.scope.into_scope(),
        namespace: new.namespace,
        content: new.content,
        tags: sorted(new.tags),
        source: new.source,
        status: MemoryStatus::Active,
        superseded_by: None,
        version: 1,
        created: new.created,
        updated: new.created,
        expires: new.expires,
    };
    insert(connection, (&memory, arrived), digest, sketch)?;
    Ok(memory)
}

/// The capture's arrival time in microseconds since 1970; by default the system clock.
fn arrival(micros: Option<u64>) -> i64 {
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let micros = micros.map_or_else(|| now().as_micros(), u128::from);
    i64::try_from(micros).unwrap_or(i64::MAX)
}

/// Stores a memory that replaces others. They are retired first, so the new one may repeat a text.
pub(super) fn supersede(
    connection: &Connection,
    access: &MemoryAccess,
    old: &[MemoryId],
    mut new: NewMemory,
) -> Result<Memory, WorkError<MemoryError>> {
    let id = free_id(connection, new.id)?;
    for old in old {
        let old = find_to_change(connection, access, old)?;
        if old.memory.status != MemoryStatus::Active {
            continue;
        }
        let mut memory = old.memory.clone();
        memory.status = MemoryStatus::Superseded;
        memory.superseded_by = Some(id.clone());
        memory.updated = access.now;
        replace(connection, &old, memory, MemoryAction::Superseded)?;
    }
    new.id = Some(id);
    match capture(connection, new)? {
        Captured::New(memory) => Ok(memory),
        Captured::Same(memory) => Err(MemoryError::Same(memory.id).into()),
    }
}

/// Sorts and deduplicates tags, as they are stored.
pub(super) fn sorted(mut tags: Vec<Tag>) -> Vec<Tag> {
    tags.sort_unstable();
    tags.dedup();
    tags
}

fn free_id(connection: &Connection, wanted: Option<MemoryId>) -> Result<MemoryId> {
    match wanted {
        Some(id) if !is_taken(connection, &id)? => Ok(id),
        _ => MemoryId::random().map_err(no_name),
    }
}
