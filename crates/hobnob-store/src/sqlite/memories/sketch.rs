//! Sketches of memories in the table `memory_bands`: by them those are found that say nearly the
//! same, in as many steps in a large store as in a small one.
//!
//! Written with each memory, in its transaction. What was captured before there were sketches gets
//! its own a few at a time.

use super::find::find_number;
use super::row::{COLUMNS, memory};
use crate::error::StoreError;
use crate::memory::{AlikeMemory, Memory, MemoryScope, Namespace, ScopeKind, WordPairs};
use crate::owner::Owner;
use crate::sqlite::SqliteStore;
use crate::time::Time;
use rusqlite::{Connection, OptionalExtension as _, Result};
use std::collections::HashMap;

/// From here on two texts say nearly the same.
const ALIKE: f64 = 0.6;
/// Memories that are compared; those with most bands in common.
const COMPARED: usize = 5;
/// Memories that are looked at for each band, the newest.
const OF_A_BAND: u32 = 16;

/// Sketches that are made in one write.
const TOGETHER: u32 = 100;

/// What a text says, in its place.
pub(super) struct Sketch {
    pairs: WordPairs,
    bands: Vec<i64>,
}

impl Sketch {
    /// Of a text in a place; the owner does not count for what is for everybody.
    pub(super) fn of(
        owner: &Owner,
        scope: &MemoryScope,
        namespace: &Namespace,
        content: &str,
    ) -> Self {
        let owner = match scope.kind() {
            ScopeKind::Project | ScopeKind::User => owner.as_str(),
            ScopeKind::Org => "",
        };
        let pairs = WordPairs::of(content);
        let place = [scope.kind().as_str(), owner, scope.project(), namespace.as_str()];
        let bands = pairs.bands(&place);
        Self { pairs, bands }
    }

    fn of_memory(memory: &Memory) -> Self {
        Self::of(&memory.owner, &memory.scope, &memory.namespace, &memory.content)
    }

    /// Writes it for the memory of this number.
    pub(super) fn put(&self, connection: &Connection, number: i64) -> Result<()> {
        let sql = "INSERT OR IGNORE INTO memory_bands (band, memory) VALUES (?1, ?2)";
        let mut statement = connection.prepare_cached(sql)?;
        for band in &self.bands {
            statement.execute((band, number))?;
        }
        Ok(())
    }

    /// Active memories of the same place that say nearly the same, most alike first.
    pub(super) fn alike(&self, connection: &Connection, now: Time) -> Result<Vec<AlikeMemory>> {
        let mut alike = Vec::new();
        for number in self.candidates(connection)? {
            let sql = format!(
                "SELECT {COLUMNS} FROM memories AS m WHERE m.number = ?1 \
                 AND m.status = 'active' AND (m.expires IS NULL OR ?2 < m.expires)"
            );
            let found = connection.prepare_cached(&sql)?.query_row((number, now.millis()), memory);
            let Some(memory) = found.optional()? else { continue };
            let other = Self::of_memory(&memory);
            let similarity = self.pairs.similarity(&other.pairs);
            // Bands of another place may be equal by chance, and nobody learns of that place.
            let same_place = other.bands.iter().any(|band| self.bands.contains(band));
            if ALIKE <= similarity && same_place {
                alike.push(AlikeMemory { memory, similarity });
            }
        }
        alike.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
        Ok(alike)
    }

    /// The memories with most bands in common, the newer ones first where that is alike.
    fn candidates(&self, connection: &Connection) -> Result<Vec<i64>> {
        let sql = "SELECT memory FROM memory_bands WHERE band = ?1 ORDER BY memory DESC LIMIT ?2";
        let mut statement = connection.prepare_cached(sql)?;
        let mut shared: HashMap<i64, u32> = HashMap::new();
        for band in &self.bands {
            let mut rows = statement.query((band, OF_A_BAND))?;
            while let Some(row) = rows.next()? {
                *shared.entry(row.get(0)?).or_default() += 1;
            }
        }
        let mut numbers: Vec<(u32, i64)> =
            shared.into_iter().map(|(number, count)| (count, number)).collect();
        numbers.sort_unstable_by(|one, other| other.cmp(one));
        Ok(numbers.into_iter().take(COMPARED).map(|(_, number)| number).collect())
    }
}

/// Puts the sketch of what a memory says now in the place of the old one.
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
    Sketch::of_memory(new).put(connection, number)
}

/// Removes the sketch of a memory.
pub(super) fn remove(connection: &Connection, number: i64, memory: &Memory) -> Result<()> {
    let sql = "DELETE FROM memory_bands WHERE band = ?1 AND memory = ?2";
    let mut statement = connection.prepare_cached(sql)?;
    for band in &Sketch::of_memory(memory).bands {
        statement.execute((band, number))?;
    }
    Ok(())
}

/// Makes sketches until none is missing, in small writes, so that others' go between.
pub(super) async fn sketch_all(store: &SqliteStore) -> std::result::Result<(), StoreError> {
    let missing = |connection: &Connection| {
        let sql = "SELECT 1 FROM memory_unsketched LIMIT 1";
        Ok(connection.prepare_cached(sql)?.exists(())?)
    };
    while store.read::<_, StoreError, _>(missing).await? {
        let some = |connection: &Connection| Ok(sketch_some(connection, TOGETHER)?);
        store.write::<_, StoreError, _>(some).await?;
    }
    Ok(())
}

/// Makes sketches of some that have none, the newest first. How many have been made.
pub(super) fn sketch_some(connection: &Connection, limit: u32) -> Result<usize> {
    let sql = "SELECT memory FROM memory_unsketched ORDER BY memory DESC LIMIT ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let numbers: Vec<i64> =
        statement.query_map([limit], |row| row.get(0))?.collect::<Result<_>>()?;
    for number in &numbers {
        let numbered = find_number(connection, *number)?;
        Sketch::of_memory(&numbered.memory).put(connection, *number)?;
        let sql = "DELETE FROM memory_unsketched WHERE memory = ?1";
        connection.prepare_cached(sql)?.execute([number])?;
    }
    Ok(numbers.len())
}
