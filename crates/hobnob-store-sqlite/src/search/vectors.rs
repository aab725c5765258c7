//! Reads vectors from the table `memory_vectors` into the in-memory tables of search.

use hobnob_store::search::{ModelVectors, VectorRow};
use rusqlite::{Connection, Result};

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
