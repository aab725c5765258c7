//! Search by vector: exact, over all vectors of a model.
//!
//! Quantized vectors are compared first, and the filter is asked before a memory is loaded.

use super::hit_filter::HitFilter;
use super::load::load;
use super::neighbours::neighbours;
use super::scan::QueryVector;
use super::vectors::{VectorCache, VectorRow, VectorTable};
use crate::memory::{MemoryAccess, MemoryFilter, VectorHit};
use crate::sqlite::filter::Clause;
use rusqlite::{Connection, Result};

/// How many memories that do not pass are looked at in one search for whether they have gone.
const LOOKS: usize = 32;

/// The cosine of what is nowhere near.
const FAR: f32 = -1.0;

/// What is searched for, and in which model's vectors.
pub(super) struct VectorQuery {
    pub(super) model: String,
    pub(super) vector: Vec<f32>,
    pub(super) limit: usize,
}

/// The nearest by vector, nearest first.
pub(super) fn by_vector(
    connection: &Connection,
    vectors: &VectorCache,
    access: &MemoryAccess,
    filter: &MemoryFilter,
    query: &VectorQuery,
) -> Result<Vec<VectorHit>> {
    let Some(query_vector) = QueryVector::new(&query.vector) else { return Ok(Vec::new()) };
    let model_vectors = vectors.model_vectors(&query.model, query.vector.len());
    let newest = model_vectors.read_new(connection)?;
    let mut gone = Vec::new();
    let hits = {
        let rows = model_vectors.rows();
        let scores = Scores { cosines: rows.cosines(&query_vector), rows: &rows };
        let (clause, all) = (Clause::wanted(access, filter), scores.cosines.len());
        let mut hit_filter = HitFilter::new(connection, clause, query.limit, all)?;
        let mut hits = Vec::new();
        let mut looks = LOOKS;
        for (cosine, held) in scores.best_first(query.limit) {
            if hits.len() == query.limit {
                break;
            }
            // Asked first: what a filter keeps out is most of it.
            let passed = hit_filter.pass(held.memory)?;
            if passed.is_none() && looks == 0 {
                continue;
            }
            looks -= usize::from(passed.is_none());
            if !is_there(connection, held.number)? {
                // What is too new for this reader only seems to be gone.
                gone.extend((held.number <= newest).then_some(held.number));
            } else if let Some(passed) = passed {
                let memory = load(connection, held.memory)?;
                let beside = match passed.has_source {
                    true => scores.beside(connection, access, held.memory)?,
                    false => FAR,
                };
                hits.push(VectorHit { memory, cosine, beside });
            }
        }
        hits
    };
    model_vectors.remove(&gone);
    Ok(hits)
}

fn is_there(connection: &Connection, vector: i64) -> Result<bool> {
    connection.prepare_cached("SELECT 1 FROM memory_vectors WHERE number = ?1")?.exists([vector])
}

struct Scores<'r> {
    rows: &'r VectorTable,
    cosines: Vec<f32>,
}

impl Scores<'_> {
    /// All vectors by their cosines. Mostly the first few are enough, so only they are sorted
    /// before more are asked for.
    fn best_first(&self, limit: usize) -> impl Iterator<Item = (f32, VectorRow)> {
        let count = u32::try_from(self.cosines.len()).unwrap_or(u32::MAX);
        let mut places: Vec<u32> = (0..count).collect();
        let few = limit.saturating_mul(2).saturating_add(32);
        if few < places.len() {
            places.select_nth_unstable_by(few, |one, other| self.compare(*one, *other));
        }
        let mut rest = places.split_off(few.min(places.len()));
        places.sort_unstable_by(|one, other| self.compare(*one, *other));
        let later = std::iter::once_with(move || {
            rest.sort_unstable_by(|one, other| self.compare(*one, *other));
            rest
        });
        let all = places.into_iter().chain(later.flatten());
        all.filter_map(|place| Some((self.cosine(place), self.rows.at(place)?)))
    }

    /// The cosine of the nearer neighbour.
    fn beside(&self, connection: &Connection, access: &MemoryAccess, memory: i64) -> Result<f32> {
        let mut best = FAR;
        for neighbour in neighbours(connection, access, memory)?.into_iter().flatten() {
            let Some(place) = self.rows.place_of(neighbour) else { continue };
            let Some(held) = self.rows.at(place) else { continue };
            if is_there(connection, held.number)? {
                best = best.max(self.cosine(place));
            }
        }
        Ok(best)
    }

    fn cosine(&self, place: u32) -> f32 {
        self.cosines.get(place as usize).copied().unwrap_or(FAR).clamp(-1.0, 1.0)
    }

    /// The nearer one first, then the newer one.
    fn compare(&self, one: u32, other: u32) -> std::cmp::Ordering {
        self.cosine(other).total_cmp(&self.cosine(one)).then(other.cmp(&one))
    }
}
