//! Reads vectors from the table `memory_vectors`: all into the in-memory tables of search, and
//! single ones while a search compares them.

use hobnob_store::search::{ModelVectors, VectorRow};
use rusqlite::{CachedStatement, Connection, Result};

/// Reads the components of single vectors, which the in-memory table has of its first rows only.
pub(super) struct VectorReader<'c>(CachedStatement<'c>);

impl<'c> VectorReader<'c> {
    pub(super) fn new(connection: &'c Connection) -> Result<Self> {
        let sql = "SELECT vector FROM memory_vectors WHERE number = ?1";
        Ok(Self(connection.prepare_cached(sql)?))
    }

    /// Appends the components of a vector; nothing if it is gone.
    pub(super) fn read(&mut self, held: VectorRow, parts: &mut Vec<i8>) -> Result<()> {
        if let Some(row) = self.0.query([held.number])?.next()? {
            let vector = row.get_ref(0)?.as_blob()?;
            parts.extend(vector.iter().map(|part| part.cast_signed()));
        }
        Ok(())
    }
}

/// Reads vectors that are not in memory yet. Returns the newest number that this reader's snapshot
/// has; other readers may already have read newer ones.
pub(super) fn read_new(connection: &Connection, model_vectors: &ModelVectors) -> Result<i64> {
    let model = model_vectors.model();
    let sql = "SELECT coalesce(max(number), 0) FROM memory_vectors WHERE model = ?1";
    let newest = connection.prepare_cached(sql)?.query_row([model], |row| row.get(0))?;
    if newest <= model_vectors.rows().newest() {
        return Ok(newest);
    }
    let mut rows = model_vectors.rows_mut();
    let sql = "SELECT number, memory, scale, vector FROM memory_vectors \
               WHERE model = ?1 AND ?2 < number AND length(vector) = ?3 ORDER BY number";
    let mut statement = connection.prepare_cached(sql)?;
    let length = i64::try_from(model_vectors.dimensions()).unwrap_or(i64::MAX);
    let mut new = statement.query((model, rows.newest(), length))?;
    while let Some(row) = new.next()? {
        let held = VectorRow { number: row.get(0)?, memory: row.get(1)? };
        let scale: f64 = row.get(2)?;
        rows.push(held, scale as f32, row.get_ref(3)?.as_blob()?);
    }
    Ok(newest)
}
