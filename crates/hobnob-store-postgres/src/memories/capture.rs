//! Captures new memories, unless a duplicate exists.
//!
//! The lookup and the insert are one transaction, and no other write of the same place comes
//! between.

use super::find::{Worked, find_same, find_to_change, is_taken};
use super::save::{MemoryAction, insert, replace};
use crate::error::Result;
use crate::transaction::Transaction;
use hobnob_store::Time;
use hobnob_store::memory::digest;
use hobnob_store::memory::{
    Captured, Memory, MemoryAccess, MemoryError, MemoryId, MemoryStatus, NewMemory, Sketch, Tag,
};
use std::time::SystemTime;

/// Stores a memory unless a duplicate exists.
pub(super) async fn capture(transaction: &Transaction, new: NewMemory) -> Result<Captured> {
    let digest = digest(&new.owner, new.scope.get(), &new.namespace, &new.content);
    // An import brings its own creation time, so expiry is checked against the clock.
    if let Some(same) = find_same(transaction, &digest, None, Time::now()).await? {
        return Ok(Captured::Same(same.memory));
    }
    let sketch = Sketch::of(&new.owner, new.scope.get(), &new.namespace, &new.content);
    Ok(Captured::New(store_new(transaction, new, &digest, &sketch).await?))
}

/// Stores a memory that is known to have no duplicate.
pub(super) async fn store_new(
    transaction: &Transaction,
    new: NewMemory,
    digest: &[u8],
    sketch: &Sketch,
) -> Result<Memory> {
    let arrived = arrival(new.arrived_micros);
    let mut memory = Memory {
        id: match new.id {
            Some(id) => id,
            None => MemoryId::random()?,
        },
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
    while !insert(transaction, (&memory, arrived), digest, sketch).await? {
        memory.id = MemoryId::random()?;
    }
    Ok(memory)
}

/// The capture's arrival time in microseconds since 1970; by default the system clock.
fn arrival(micros: Option<u64>) -> i64 {
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let micros = micros.map_or_else(|| now().as_micros(), u128::from);
    i64::try_from(micros).unwrap_or(i64::MAX)
}

/// Stores a memory that replaces others. They are retired first, so the new one may repeat a text.
pub(super) async fn supersede(
    transaction: &Transaction,
    access: &MemoryAccess,
    old: &[MemoryId],
    mut new: NewMemory,
) -> Worked<Memory> {
    let id = match new.id {
        Some(id) if !is_taken(transaction, &id).await? => id,
        _ => MemoryId::random()?,
    };
    for old in old {
        let old = find_to_change(transaction, access, old).await?;
        if old.memory.status != MemoryStatus::Active {
            continue;
        }
        let mut memory = old.memory.clone();
        memory.status = MemoryStatus::Superseded;
        memory.superseded_by = Some(id.clone());
        memory.updated = access.now;
        replace(transaction, &old, memory, MemoryAction::Superseded).await?;
    }
    new.id = Some(id);
    match capture(transaction, new).await? {
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
