//! Marks memories as replaced by a newer one: they stay active, and recall ranks them below it.
//!
//! The mark is the column `superseded_by` of an active memory. `row` reads it as empty once the
//! newer memory is deleted or purged, so nothing has to be cleaned up.

use super::find::{NumberedMemory, Worked, find, find_to_change};
use super::save::{MemoryAction, replace};
use crate::error::{Result, TransactionFailure};
use crate::transaction::Transaction;
use hobnob_store::memory::{Memory, MemoryAccess, MemoryError, MemoryId, MemoryStatus};

/// The longest chain of replacements that is followed to find a circle.
const MAX_CHAIN: usize = 1_000;

/// Marks each active memory of `older` as replaced by `newer`.
pub(super) async fn mark_replaced(
    transaction: &Transaction,
    access: &MemoryAccess,
    newer: &MemoryId,
    older: &[MemoryId],
) -> Worked<Vec<Memory>> {
    let newer = find(transaction, access, newer).await?.memory;
    let chain = successors(transaction, access, &newer).await?;
    let mut marked = Vec::new();
    for id in older {
        let old = find_to_change(transaction, access, id).await?;
        if old.memory.scope != newer.scope || chain.contains(id) {
            let (older, newer) = (id.clone(), newer.id);
            return Err(MemoryError::NoReplacement { older, newer }.into());
        }
        marked.extend(mark(transaction, access, &old, &newer.id).await?);
    }
    Ok(marked)
}

async fn mark(
    transaction: &Transaction,
    access: &MemoryAccess,
    old: &NumberedMemory,
    newer: &MemoryId,
) -> Result<Option<Memory>> {
    if old.memory.status != MemoryStatus::Active {
        return Ok(None);
    }
    let mut memory = old.memory.clone();
    memory.superseded_by = Some(newer.clone());
    if memory == old.memory {
        return Ok(Some(memory));
    }
    memory.updated = access.now;
    replace(transaction, old, memory, MemoryAction::Replaced).await.map(Some)
}

/// The memory itself, the one that replaced it, the one that replaced that, and so on.
async fn successors(
    transaction: &Transaction,
    access: &MemoryAccess,
    memory: &Memory,
) -> Worked<Vec<MemoryId>> {
    let mut chain = vec![memory.id.clone()];
    let mut next = memory.superseded_by.clone();
    while let Some(id) = next
        && !chain.contains(&id)
        && chain.len() < MAX_CHAIN
    {
        next = match find(transaction, access, &id).await {
            Ok(found) => found.memory.superseded_by,
            Err(TransactionFailure::Port(MemoryError::NotFound(_))) => None,
            Err(error) => return Err(error),
        };
        chain.push(id);
    }
    Ok(chain)
}
