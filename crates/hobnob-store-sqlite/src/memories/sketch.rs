//! MinHash sketches of memories in the table `memory_bands`, by which near-duplicates are found in
//! a number of steps that does not grow with the store.
//!
//! A sketch is written with its memory, in one transaction. Memories from before there were
//! sketches get theirs later, a few at a time.

use super::find::find_number;
use super::row::{COLUMNS, memory};
use crate::SqliteStore;
use hobnob_store::memory::{AlikeMemory, MEMORIES_PER_BAND, Memory, Sketch, most_shared};
use hobnob_store::{StoreError, Time};
use rusqlite::{Connection, OptionalExtension as _, Result};

/// Sketches per write, so that other writers get their turn in between.
const BATCH_SIZE: u32 = 100;

/// Writes the sketch of the memory of this number.
pub(super) fn put(connection: &Connection, sketch: &Sketch, number: i64) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO memory_bands (band, memory) VALUES (?1, ?2)";
    let mut statement = connection.prepare_cached(sql)?;
    for band in sketch.bands() {
        statement.execute((band, number))?;
    }
    Ok(())
}

/// Active near-duplicates in the same scope and namespace, most similar first.
pub(super) fn alike(
    connection: &Connection,
    sketch: &Sketch,
    now: Time,
) -> Result<Vec<AlikeMemory>> {
    let mut alike = Vec::new();
    for number in candidates(connection, sketch)? {
        let sql = format!(
            "SELECT {COLUMNS} FROM memories AS m WHERE m.number = ?1 \
             AND m.status = 'active' AND (m.expires IS NULL OR ?2 < m.expires)"
        );
        let found = connection.prepare_cached(&sql)?.query_row((number, now.millis()), memory);
        let Some(memory) = found.optional()? else { continue };
        if let Some(similarity) = sketch.near_duplicate(&Sketch::of_memory(&memory)) {
            alike.push(AlikeMemory { memory, similarity });
        }
    }
    alike.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    Ok(alike)
}

/// The memories that share most bands with a sketch.
fn candidates(connection: &Connection, sketch: &Sketch) -> Result<Vec<i64>> {
    let sql = "SELECT memory FROM memory_bands WHERE band = ?1 ORDER BY memory DESC LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut found: Vec<i64> = Vec::new();
    for band in sketch.bands() {
        let mut rows = statement.query((band, MEMORIES_PER_BAND))?;
        while let Some(row) = rows.next()? {
            found.push(row.get(0)?);
        }
    }
    Ok(most_shared(found))
}

/// Replaces the sketch of a memory if its text or namespace changed.
pub(super) fn renew(
    connection: &Connection,
    number: i64,
    old: &Memory,
    new: &Memory,
) -> Result<()> {
    if old.content == new.content && old.namespace == new.namespace {
        return Ok(());
    }
    remove(connection, number, old)?;
    put(connection, &Sketch::of_memory(new), number)
}

/// Removes the sketch of a memory.
pub(super) fn remove(connection: &Connection, number: i64, memory: &Memory) -> Result<()> {
    let sql = "DELETE FROM memory_bands WHERE band = ?1 AND memory = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    for band in Sketch::of_memory(memory).bands() {
        statement.execute((band, number))?;
    }
    Ok(())
}

/// Sketches all memories that lack a sketch, in small writes.
pub(super) async fn sketch_all(store: &SqliteStore) -> std::result::Result<(), StoreError> {
    let missing = |connection: &Connection| {
        let sql = "SELECT 1 FROM memory_unsketched LIMIT 1";
        Ok(connection.prepare_cached(sql)?.exists(())?)
    };
    while store.read::<_, StoreError, _>(missing).await? {
        let some = |connection: &Connection| Ok(sketch_some(connection, BATCH_SIZE)?);
        store.write::<_, StoreError, _>(some).await?;
    }
    Ok(())
}

/// Sketches some memories that lack a sketch, newest first; returns how many.
pub(super) fn sketch_some(connection: &Connection, limit: u32) -> Result<usize> {
    let sql = "SELECT memory FROM memory_unsketched ORDER BY memory DESC LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let numbers: Vec<i64> =
        statement.query_map([limit], |row| row.get(0))?.collect::<Result<_>>()?;
    for number in &numbers {
        let numbered = find_number(connection, *number)?;
        put(connection, &Sketch::of_memory(&numbered.memory), *number)?;
        let sql = "DELETE FROM memory_unsketched WHERE memory = ?1";
        connection.prepare_cached(sql)?.execute([number])?;
    }
    Ok(numbers.len())
}
