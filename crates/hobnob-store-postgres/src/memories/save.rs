//! Every write of a memory: its row, tags, history, sketch, postings and change record, all in the
//! caller's transaction.

use super::find::NumberedMemory;
use super::{index, sketch};
use crate::change_log;
use crate::columns::number;
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::{SqlValue, values};
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::digest;
use hobnob_store::memory::{Memory, Namespace, Sketch, Tag};

/// Versions kept per memory.
const MAX_VERSIONS: u32 = 100;

/// The action that created a version.
#[derive(Debug, Clone, Copy)]
pub(super) enum MemoryAction {
    Captured,
    Updated,
    Deleted,
    Restored,
    Superseded,
    Replaced,
    Expired,
}

impl MemoryAction {
    fn as_str(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Updated => "updated",
            Self::Deleted => "deleted",
            Self::Restored => "restored",
            Self::Superseded => "superseded",
            Self::Replaced => "replaced",
            Self::Expired => "expired",
        }
    }
}

/// Writes a new memory and its arrival time; returns false, and writes nothing, if any memory has
/// its id.
pub(super) async fn insert(
    transaction: &Transaction,
    (memory, arrived): (&Memory, i64),
    digest: &[u8],
    sketch: &Sketch,
) -> Result<bool> {
    let sql = "INSERT INTO memories (id, owner, scope, project, namespace, content, digest, \
               source, status, version, created, updated, expires, arrived, bytes) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
               ON CONFLICT (id) DO NOTHING RETURNING number";
    let row = values![
        memory.id.as_str(),
        &memory.owner,
        memory.scope.kind().as_str(),
        memory.scope.project(),
        memory.namespace.as_str(),
        &memory.content,
        digest,
        &memory.source,
        memory.status.as_str(),
        memory.version,
        memory.created,
        memory.updated,
        memory.expires,
        arrived,
        memory.content.len(),
    ];
    let Some(number) = transaction.first(sql, row, |row| number(row, 0)).await? else {
        return Ok(false);
    };
    insert_tags(transaction, number, &memory.tags).await?;
    remember(transaction, number, memory, MemoryAction::Captured).await?;
    index::put_new(transaction, number, memory).await?;
    sketch::put(transaction, sketch, number).await?;
    record_change(transaction, memory, &memory.namespace).await?;
    Ok(true)
}

/// Writes the changed memory as its next version.
pub(super) async fn replace(
    transaction: &Transaction,
    old: &NumberedMemory,
    mut new: Memory,
    action: MemoryAction,
) -> Result<Memory> {
    new.version = old.memory.version.saturating_add(1);
    update(transaction, old.number, &new).await?;
    if old.memory.tags != new.tags {
        let sql = "DELETE FROM memory_tags WHERE memory = $1";
        transaction.execute(sql, values![old.number]).await?;
        insert_tags(transaction, old.number, &new.tags).await?;
    }
    remember(transaction, old.number, &new, action).await?;
    index::put(transaction, old.number).await?;
    sketch::renew(transaction, old.number, &old.memory, &new).await?;
    if old.memory.namespace != new.namespace {
        record_change(transaction, &new, &old.memory.namespace).await?;
    }
    record_change(transaction, &new, &new.namespace).await?;
    Ok(new)
}

/// Removes a memory with all rows that belong to it.
pub(super) async fn remove(transaction: &Transaction, numbered: &NumberedMemory) -> Result<()> {
    index::remove(transaction, numbered.number).await?;
    sketch::remove(transaction, numbered.number, &numbered.memory).await?;
    let sql = "DELETE FROM memories WHERE number = $1";
    transaction.execute(sql, values![numbered.number]).await?;
    record_change(transaction, &numbered.memory, &numbered.memory.namespace).await
}

async fn update(transaction: &Transaction, number: i64, memory: &Memory) -> Result<()> {
    // Changing a deleted memory keeps its time of deletion, so it is still purged in time.
    let sql = "UPDATE memories SET namespace = $2, content = $3, digest = $4, source = $5, \
               status = $6, superseded_by = $7, version = $8, updated = $9, expires = $10, \
               deleted = CASE WHEN $6 = 'deleted' THEN coalesce(deleted, $9) END, bytes = $11 \
               WHERE number = $1";
    let digest = digest(&memory.owner, &memory.scope, &memory.namespace, &memory.content);
    let row = values![
        number,
        memory.namespace.as_str(),
        &memory.content,
        digest,
        &memory.source,
        memory.status.as_str(),
        memory.superseded_by.as_ref().map(|id| id.as_str()),
        memory.version,
        memory.updated,
        memory.expires,
        memory.content.len(),
    ];
    transaction.execute(sql, row).await?;
    Ok(())
}

async fn insert_tags(transaction: &Transaction, number: i64, tags: &[Tag]) -> Result<()> {
    if tags.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO memory_tags (memory, tag) SELECT $1, tag FROM unnest($2) AS u (tag)";
    let tags = SqlValue::texts(tags.iter().map(Tag::as_str));
    transaction.execute(sql, &[number.into(), tags]).await?;
    Ok(())
}

async fn remember(
    transaction: &Transaction,
    number: i64,
    memory: &Memory,
    action: MemoryAction,
) -> Result<()> {
    let tags: Vec<&str> = memory.tags.iter().map(Tag::as_str).collect();
    let sql = "INSERT INTO memory_history \
               (memory, version, content, namespace, tags, status, since, action) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let row = values![
        number,
        memory.version,
        &memory.content,
        memory.namespace.as_str(),
        tags.join(","),
        memory.status.as_str(),
        memory.updated,
        action.as_str(),
    ];
    transaction.execute(sql, row).await?;
    if MAX_VERSIONS < memory.version {
        let sql = "DELETE FROM memory_history WHERE memory = $1 AND version <= $2";
        let oldest = values![number, memory.version - MAX_VERSIONS];
        transaction.execute(sql, oldest).await?;
    }
    Ok(())
}

async fn record_change(
    transaction: &Transaction,
    memory: &Memory,
    namespace: &Namespace,
) -> Result<()> {
    let what = ChangedRecord::Memory {
        scope: memory.scope.kind(),
        project: memory.scope.project().into(),
        namespace: namespace.as_str().into(),
        id: memory.id.as_str().into(),
    };
    let change = RecordChange { owner: memory.owner.clone(), what };
    change_log::record_change(transaction, &change).await
}
