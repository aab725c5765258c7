//! MinHash sketches of memories in the table `memory_bands`, by which near-duplicates are found in
//! a number of steps that does not grow with the store.
//!
//! A sketch is written with its memory, in one transaction.

use super::row::{COLUMNS, WIDTH, memory};
use crate::columns::number;
use crate::error::Result;
use crate::transaction::Transaction;
use crate::value::values;
use hobnob_store::Time;
use hobnob_store::memory::{AlikeMemory, MEMORIES_PER_BAND, Memory, Sketch, most_shared};
use std::collections::HashMap;

/// Writes the sketch of the memory of this number.
pub(super) async fn put(transaction: &Transaction, sketch: &Sketch, memory: i64) -> Result<()> {
    let sql = "INSERT INTO memory_bands (band, memory) SELECT band, $2 FROM unnest($1) AS u (band) \
               ON CONFLICT DO NOTHING";
    transaction.execute(sql, values![sketch.bands(), memory]).await?;
    Ok(())
}

/// Active near-duplicates in the same scope and namespace, most similar first.
pub(super) async fn alike(
    transaction: &Transaction,
    sketch: &Sketch,
    now: Time,
) -> Result<Vec<AlikeMemory>> {
    // Of each band the newest memories; those that share most bands are compared.
    let sql = "SELECT near.memory FROM unnest($1) WITH ORDINALITY AS u (band, place), \
               LATERAL (SELECT b.memory FROM memory_bands AS b WHERE b.band = u.band \
                        ORDER BY b.memory DESC LIMIT $2) AS near";
    let given = values![sketch.bands(), MEMORIES_PER_BAND];
    let found = transaction.all(sql, given, |row| number(row, 0)).await?;
    let candidates = most_shared(found);
    let sql = format!(
        "SELECT {COLUMNS}, m.number FROM memories AS m WHERE m.number = ANY($1) \
         AND m.status = 'active' AND (m.expires IS NULL OR $2 < m.expires)"
    );
    let given = values![candidates.as_slice(), now];
    let found = transaction.all(&sql, given, |row| Ok((number(row, WIDTH)?, memory(row)?))).await?;
    let mut memories: HashMap<i64, Memory> = found.into_iter().collect();
    let mut alike = Vec::new();
    for memory in candidates.iter().filter_map(|number| memories.remove(number)) {
        if let Some(similarity) = sketch.near_duplicate(&Sketch::of_memory(&memory)) {
            alike.push(AlikeMemory { memory, similarity });
        }
    }
    alike.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    Ok(alike)
}

/// Replaces the sketch of a memory if its text or namespace changed.
pub(super) async fn renew(
    transaction: &Transaction,
    number: i64,
    old: &Memory,
    new: &Memory,
) -> Result<()> {
    if old.content == new.content && old.namespace == new.namespace {
        return Ok(());
    }
    remove(transaction, number, old).await?;
    put(transaction, &Sketch::of_memory(new), number).await
}

/// Removes the sketch of a memory.
pub(super) async fn remove(transaction: &Transaction, number: i64, memory: &Memory) -> Result<()> {
    let sql = "DELETE FROM memory_bands WHERE band = ANY($1) AND memory = $2";
    let sketch = Sketch::of_memory(memory);
    transaction.execute(sql, values![sketch.bands(), number]).await?;
    Ok(())
}
