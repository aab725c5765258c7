//! Updates, deletes, restores and purges memories.
//!
//! Each operation writes the old version to the history, except a purge, which leaves nothing.

use super::capture::sorted;
use super::find::{
    NumberedMemory, Worked, find, find_expired_to_change, find_same, find_to_change,
};
use super::row::tags;
use super::save::{MemoryAction, remove, replace};
use crate::columns::{small, text, time, word};
use crate::transaction::Transaction;
use crate::value::values;
use hobnob_store::memory::digest;
use hobnob_store::memory::{
    Memory, MemoryAccess, MemoryEdit, MemoryError, MemoryId, MemoryStatus, MemoryVersion, Namespace,
};

/// Updates a memory and stores the old version.
pub(super) async fn update(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
    edit: MemoryEdit,
) -> Worked<Memory> {
    let old = find_to_change(transaction, access, id).await?;
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
        refuse_same(transaction, access, &old, &new).await?;
    }
    Ok(replace(transaction, &old, new, MemoryAction::Updated).await?)
}

/// Deletes a memory so that it can be restored.
pub(super) async fn delete(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Worked<Memory> {
    let old = find_to_change(transaction, access, id).await?;
    let mut new = old.memory.clone();
    if new.status == MemoryStatus::Deleted {
        return Ok(new);
    }
    new.status = MemoryStatus::Deleted;
    new.updated = access.now;
    Ok(replace(transaction, &old, new, MemoryAction::Deleted).await?)
}

/// Makes a memory active again, even if it has expired and no clean-up has deleted it yet.
pub(super) async fn restore(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Worked<Memory> {
    let old = find_expired_to_change(transaction, access, id).await?;
    let mut new = old.memory.clone();
    new.status = MemoryStatus::Active;
    new.superseded_by = None;
    // A past expiry time would hide it again at once.
    new.expires = new.expires.filter(|end| access.now < *end);
    if new == old.memory {
        return Ok(new);
    }
    new.updated = access.now;
    refuse_same(transaction, access, &old, &new).await?;
    Ok(replace(transaction, &old, new, MemoryAction::Restored).await?)
}

/// Removes a memory for good.
pub(super) async fn purge(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Worked<()> {
    let numbered = find_to_change(transaction, access, id).await?;
    Ok(remove(transaction, &numbered).await?)
}

/// The versions of a memory.
pub(super) async fn history(
    transaction: &Transaction,
    access: &MemoryAccess,
    id: &MemoryId,
) -> Worked<Vec<MemoryVersion>> {
    let number = find(transaction, access, id).await?.number;
    let sql = "SELECT version, content, namespace, tags, status, since, action \
               FROM memory_history WHERE memory = $1 ORDER BY version";
    let past = transaction.all(sql, values![number], |row| {
        Ok(MemoryVersion {
            version: small(row, 0)?,
            content: text(row, 1)?,
            namespace: word(row, 2, |raw| Namespace::parse(raw).ok())?,
            tags: tags(row, 3)?,
            status: word(row, 4, MemoryStatus::parse)?,
            since: time(row, 5)?,
            action: text(row, 6)?,
        })
    });
    Ok(past.await?)
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

async fn refuse_same(
    transaction: &Transaction,
    access: &MemoryAccess,
    old: &NumberedMemory,
    new: &Memory,
) -> Worked<()> {
    let digest = digest(&new.owner, &new.scope, &new.namespace, &new.content);
    match find_same(transaction, &digest, Some(old.number), access.now).await? {
        Some(same) => Err(MemoryError::Same(same.memory.id).into()),
        None => Ok(()),
    }
}
