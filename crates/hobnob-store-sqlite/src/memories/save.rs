//! Every write of a memory: its row, tags, history, sketch, index terms and change record, all in
//! the caller's transaction.

use super::find::NumberedMemory;
use super::sketch;
use crate::{change_log, index};
use hobnob_store::Time;
use hobnob_store::changes::{ChangedRecord, RecordChange};
use hobnob_store::memory::digest;
use hobnob_store::memory::{Memory, Namespace, Sketch, Tag};
use rusqlite::{Connection, Result};

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

/// Writes a new memory and its arrival time.
pub(super) fn insert(
    connection: &Connection,
    (memory, arrived): (&Memory, i64),
    digest: &[u8],
    sketch: &Sketch,
) -> Result<()> {
    let sql = "INSERT INTO memories (id, owner, scope, project, namespace, content, digest, \
               source, status, version, created, updated, expires, arrived) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";
    connection.prepare_cached(sql)?.execute((
        memory.id.as_str(),
        memory.owner.as_str(),
        memory.scope.kind().as_str(),
        memory.scope.project(),
        memory.namespace.as_str(),
        &memory.content,
        digest,
        &memory.source,
        memory.status.as_str(),
        memory.version,
        memory.created.millis(),
        memory.updated.millis(),
        memory.expires.map(Time::millis),
        arrived,
    ))?;
    let number = connection.last_insert_rowid();
    insert_tags(connection, number, &memory.tags)?;
    remember(connection, number, memory, MemoryAction::Captured)?;
    index::put_new(connection, number, memory)?;
    sketch::put(connection, sketch, number)?;
    record_change(connection, memory, &memory.namespace)
}

/// Writes the changed memory as its next version.
pub(super) fn replace(
    connection: &Connection,
    old: &NumberedMemory,
    mut new: Memory,
    action: MemoryAction,
) -> Result<Memory> {
    new.version = old.memory.version.saturating_add(1);
    update(connection, old.number, &new)?;
    if old.memory.tags != new.tags {
        let sql = "DELETE FROM memory_tags WHERE memory = ?1";
        connection.prepare_cached(sql)?.execute([old.number])?;
        insert_tags(connection, old.number, &new.tags)?;
    }
    remember(connection, old.number, &new, action)?;
    index::put(connection, old.number)?;
    sketch::renew(connection, old.number, &old.memory, &new)?;
    if old.memory.namespace != new.namespace {
        record_change(connection, &new, &old.memory.namespace)?;
    }
    record_change(connection, &new, &new.namespace)?;
    Ok(new)
}

/// Removes a memory with all rows that belong to it.
pub(super) fn remove(connection: &Connection, numbered: &NumberedMemory) -> Result<()> {
    index::remove(connection, numbered.number)?;
    sketch::remove(connection, numbered.number, &numbered.memory)?;
    let sql = "DELETE FROM memories WHERE number = ?1";
    connection.prepare_cached(sql)?.execute([numbered.number])?;
    record_change(connection, &numbered.memory, &numbered.memory.namespace)
}

fn update(connection: &Connection, number: i64, memory: &Memory) -> Result<()> {
    // Changing a deleted memory keeps its time of deletion, so it is still purged in time.
    let sql = "UPDATE memories SET namespace = ?2, content = ?3, digest = ?4, source = ?5, \
               status = ?6, superseded_by = ?7, version = ?8, updated = ?9, expires = ?10, \
               deleted = CASE WHEN ?6 = 'deleted' THEN coalesce(deleted, ?9) END \
               WHERE number = ?1";
    let digest = digest(&memory.owner, &memory.scope, &memory.namespace, &memory.content);
    connection.prepare_cached(sql)?.execute((
        number,
        memory.namespace.as_str(),
        &memory.content,
        digest,
        &memory.source,
        memory.status.as_str(),
        memory.superseded_by.as_ref().map(|id| id.as_str()),
        memory.version,
        memory.updated.millis(),
        memory.expires.map(Time::millis),
    ))?;
    Ok(())
}

fn insert_tags(connection: &Connection, number: i64, tags: &[Tag]) -> Result<()> {
    let sql = "INSERT INTO memory_tags (memory, tag) VALUES (?1, ?2)";
    let mut statement = connection.prepare_cached(sql)?;
    for tag in tags {
        statement.execute((number, tag.as_str()))?;
    }
    Ok(())
}

fn remember(
    connection: &Connection,
    number: i64,
    memory: &Memory,
    action: MemoryAction,
) -> Result<()> {
    let tags: Vec<&str> = memory.tags.iter().map(Tag::as_str).collect();
    let sql = "INSERT INTO memory_history \
               (memory, version, content, namespace, tags, status, since, action) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    connection.prepare_cached(sql)?.execute((
        number,
        memory.version,
        &memory.content,
        memory.namespace.as_str(),
        tags.join(","),
        memory.status.as_str(),
        memory.updated.millis(),
        action.as_str(),
    ))?;
    if MAX_VERSIONS < memory.version {
        let sql = "DELETE FROM memory_history WHERE memory = ?1 AND version <= ?2";
        connection.prepare_cached(sql)?.execute((number, memory.version - MAX_VERSIONS))?;
    }
    Ok(())
}

fn record_change(connection: &Connection, memory: &Memory, namespace: &Namespace) -> Result<()> {
    let what = ChangedRecord::Memory {
        scope: memory.scope.kind(),
        project: memory.scope.project().into(),
        namespace: namespace.as_str().into(),
        id: memory.id.as_str().into(),
    };
    change_log::record_change(connection, &RecordChange { owner: memory.owner.clone(), what })
}
