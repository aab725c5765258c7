//! Reads vectors from the table `memory_vectors` into the in-memory tables of search.

use super::work::SearchWork;
use crate::columns::{get, number};
use crate::error::Result;
use crate::value::values;
use hobnob_store::search::{ModelVectors, VectorRow};
use std::collections::HashSet;

/// Vectors read at once.
const VECTORS_PER_READ: usize = 10_000;

/// Reads vectors that are not in memory yet. Returns the newest number that this snapshot has;
/// other searches may already have read newer ones.
pub(super) async fn read_new(work: &SearchWork<'_>, model_vectors: &ModelVectors) -> Result<i64> {
    let model = model_vectors.model();
    let sql = "SELECT coalesce(max(number), 0) FROM memory_vectors WHERE model = $1";
    let newest = work.transaction.one(sql, values![model], |row| number(row, 0)).await?;
    loop {
        let known = model_vectors.rows().newest();
        if newest <= known {
            return Ok(newest);
        }
        let sql = "SELECT number, memory, scale, vector FROM memory_vectors \
                   WHERE model = $1 AND $2 < number AND octet_length(vector) = $3 \
                   ORDER BY number LIMIT $4";
        let given = values![model, known, model_vectors.dimensions(), VECTORS_PER_READ];
        let new = work.transaction.all(sql, given, |row| {
            let held = VectorRow { number: number(row, 0)?, memory: number(row, 1)? };
            Ok((held, get::<f64>(row, 2)? as f32, get::<Vec<u8>>(row, 3)?))
        });
        let new = new.await?;
        let is_last = new.len() < VECTORS_PER_READ;
        let mut rows = model_vectors.rows_mut();
        for (held, scale, parts) in new {
            // Another search may have read the same ones meanwhile.
            if rows.newest() < held.number {
                rows.push(held, scale, &parts);
            }
        }
        if is_last {
            return Ok(newest);
        }
    }
}

/// Those of these vectors that the database still has.
pub(super) async fn still_there(work: &SearchWork<'_>, numbers: &[i64]) -> Result<HashSet<i64>> {
    if numbers.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = "SELECT number FROM memory_vectors WHERE number = ANY($1)";
    let found = work.transaction.all(sql, values![numbers], |row| number(row, 0)).await?;
    Ok(found.into_iter().collect())
}
