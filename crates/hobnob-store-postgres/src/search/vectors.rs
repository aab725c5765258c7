//! Reads vectors from the table `memory_vectors`: all into the in-memory tables of search, and
//! single ones while a search compares them.

use super::work::SearchWork;
use crate::columns::{get, number};
use crate::error::Result;
use crate::value::values;
use hobnob_store::search::{ModelVectors, VectorRow};
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

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

/// Appends the components of a vector that the in-memory table does not have.
pub(super) type ReadParts<'r> =
    dyn FnMut(VectorRow, &mut Vec<i8>) -> std::result::Result<(), Infallible> + Send + 'r;

/// Components of vectors by their numbers, read for one search; empty for a vector that is gone.
#[derive(Debug, Default)]
pub(super) struct StoredParts(HashMap<i64, Vec<u8>>);

impl StoredParts {
    /// Compares vectors; if that needs components that were not read yet, reads them and compares
    /// again. So the table is never locked while the database is asked.
    pub(super) async fn compare<T>(
        &mut self,
        work: &SearchWork<'_>,
        mut compare: impl FnMut(&mut ReadParts<'_>) -> T,
    ) -> Result<T> {
        loop {
            let mut missing = Vec::new();
            let compared = compare(&mut |held, parts| {
                match self.0.get(&held.number) {
                    Some(stored) => parts.extend(stored.iter().map(|part| part.cast_signed())),
                    None => missing.push(held.number),
                }
                Ok(())
            });
            if missing.is_empty() {
                return Ok(compared);
            }
            let sql = "SELECT number, vector FROM memory_vectors WHERE number = ANY($1)";
            let found = work
                .transaction
                .all(sql, values![&*missing], |row| Ok((number(row, 0)?, get::<Vec<u8>>(row, 1)?)));
            let found = found.await?;
            self.0.extend(missing.iter().map(|gone| (*gone, Vec::new())));
            self.0.extend(found);
        }
    }
}

/// The value of a comparison that cannot fail.
pub(super) fn sure<T>(compared: std::result::Result<T, Infallible>) -> T {
    match compared {
        Ok(value) => value,
        Err(never) => match never {},
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
