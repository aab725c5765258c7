//! Captures with merging: a new memory is stored, a duplicate gains the new labels. A single
//! capture also reports near-duplicates. The caller runs one capture, or all of a batch, in one
//! transaction.

use super::capture::{sorted, store_new};
use super::find::{NumberedMemory, find_same};
use super::save::{MemoryAction, replace};
use super::sketch;
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::values;
use hobnob_store::Time;
use hobnob_store::memory::digest;
use hobnob_store::memory::{
    CaptureOutcome, Captured, Memory, MergedLabels, NewMemory, Sketch, Tag,
};

/// Limits of tags and of further sources per memory.
const MAX_TAGS: usize = 50;
const MAX_SOURCES: usize = 50;

/// Stores a memory, or adds its labels to the duplicate.
pub(super) async fn capture_or_merge(
    transaction: &Transaction,
    new: NewMemory,
) -> Result<CaptureOutcome> {
    let now = Time::now();
    let digest = digest(&new.owner, new.scope.get(), &new.namespace, &new.content);
    let sketch = Sketch::of(&new.owner, new.scope.get(), &new.namespace, &new.content);
    let mut alike = sketch::alike(transaction, &sketch, now).await?;
    let Some(same) = find_same(transaction, &digest, None, now).await? else {
        let captured = Captured::New(store_new(transaction, new, &digest, &sketch).await?);
        return Ok(CaptureOutcome { captured, merged: MergedLabels::default(), alike });
    };
    alike.retain(|it| it.memory.id != same.memory.id);
    let (memory, merged) = merge(transaction, same, new, now).await?;
    Ok(CaptureOutcome { captured: Captured::Same(memory), merged, alike })
}

/// The same for one of many captures, without the search for near-duplicates.
pub(super) async fn capture_of_many(
    transaction: &Transaction,
    new: NewMemory,
) -> Result<CaptureOutcome> {
    let now = Time::now();
    let digest = digest(&new.owner, new.scope.get(), &new.namespace, &new.content);
    let (captured, merged) = match find_same(transaction, &digest, None, now).await? {
        Some(same) => {
            let (memory, merged) = merge(transaction, same, new, now).await?;
            (Captured::Same(memory), merged)
        }
        None => {
            let sketch = Sketch::of(&new.owner, new.scope.get(), &new.namespace, &new.content);
            let memory = store_new(transaction, new, &digest, &sketch).await?;
            (Captured::New(memory), MergedLabels::default())
        }
    };
    Ok(CaptureOutcome { captured, merged, alike: Vec::new() })
}

/// Adds labels to a memory, unless it belongs to another owner.
async fn merge(
    transaction: &Transaction,
    same: NumberedMemory,
    new: NewMemory,
    now: Time,
) -> Result<(Memory, MergedLabels)> {
    let mut missing: Vec<Tag> = sorted(new.tags);
    missing.retain(|tag| !same.memory.tags.contains(tag));
    let source = match new.source {
        Some(source) if has_source(transaction, &same, &source).await? => None,
        source => source,
    };
    if missing.is_empty() && source.is_none() {
        return Ok((same.memory, MergedLabels::default()));
    }
    let none = MergedLabels { left_out: true, ..MergedLabels::default() };
    if same.memory.owner != new.owner {
        return Ok((same.memory, none));
    }
    let room = MAX_TAGS.saturating_sub(same.memory.tags.len());
    let mut merged = MergedLabels { left_out: room < missing.len(), ..MergedLabels::default() };
    missing.truncate(room);
    merged.tags = missing;
    let mut memory = same.memory.clone();
    memory.tags = sorted([same.memory.tags.as_slice(), merged.tags.as_slice()].concat());
    match source {
        Some(source) if memory.source.is_none() => {
            memory.source = Some(source.clone());
            merged.source = Some(source);
        }
        Some(source) if add_source(transaction, same.number, &source).await? => {
            merged.source = Some(source);
        }
        Some(_) => merged.left_out = true,
        None => {}
    }
    if merged.tags.is_empty() && merged.source.is_none() {
        return Ok((same.memory, none));
    }
    memory.updated = now;
    let memory = replace(transaction, &same, memory, MemoryAction::Updated).await?;
    Ok((memory, merged))
}

async fn has_source(
    transaction: &Transaction,
    same: &NumberedMemory,
    source: &str,
) -> Result<bool> {
    let sql = "SELECT 1 FROM memory_sources WHERE memory = $1 AND source = $2";
    Ok(same.memory.source.as_deref() == Some(source)
        || transaction.exists(sql, values![same.number, source]).await?)
}

/// Adds a further source, unless the memory has the maximum.
async fn add_source(transaction: &Transaction, number: i64, source: &str) -> Result<bool> {
    let sql = "INSERT INTO memory_sources (memory, source) SELECT $1, $2 \
               WHERE (SELECT count(*) FROM memory_sources WHERE memory = $1) < $3";
    Ok(transaction.execute(sql, values![number, source, MAX_SOURCES]).await? == 1)
}
