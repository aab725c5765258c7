//! Search by vector, over all vectors of a model: by their signs first, and then exactly among those
//! that have most of them in common. The filter is asked before a memory is loaded.

use super::caches::SearchCaches;
use super::hit_filter::HitFilter;
use super::load::MemoryLoader;
use super::scan::QueryVector;
use super::sign_order::{SignOrder, several};
use super::vectors::{VectorRow, VectorTable};
use crate::memory::{MemoryAccess, MemoryFilter, VectorHit};
use rusqlite::{Connection, Result};

/// How many memories that do not pass are looked at in one search for whether they have gone.
const LOOKS: usize = 32;

/// What is searched for, and in which model's vectors.
pub(super) struct VectorQuery {
    pub(super) model: String,
    pub(super) vector: Vec<f32>,
    pub(super) limit: usize,
}

/// The nearest by vector, nearest first.
pub(super) fn by_vector(
    connection: &Connection,
    caches: &SearchCaches,
    (access, filter): (&MemoryAccess, &MemoryFilter),
    query: &VectorQuery,
) -> Result<Vec<VectorHit>> {
    let Some(query_vector) = QueryVector::new(&query.vector) else { return Ok(Vec::new()) };
    let model_vectors = caches.vectors.model_vectors(&query.model, query.vector.len());
    let newest = model_vectors.read_new(connection)?;
    let mut gone = Vec::new();
    let hits = {
        let rows = model_vectors.rows();
        let wanted = (access, filter);
        let hit_filter =
            HitFilter::new(connection, &caches.passing, wanted, query.limit, rows.len())?;
        let mut search = NearestSearch { connection, rows: &rows, query_vector, hit_filter };
        search.hits(query.limit, newest, &mut gone)?
    };
    model_vectors.remove(&gone);
    Ok(hits)
}

struct NearestSearch<'s> {
    connection: &'s Connection,
    rows: &'s VectorTable,
    query_vector: QueryVector,
    hit_filter: HitFilter<'s>,
}

impl NearestSearch<'_> {
    /// The best by the signs are compared exactly, and then more of them if too few pass.
    fn hits(&mut self, limit: usize, newest: i64, gone: &mut Vec<i64>) -> Result<Vec<VectorHit>> {
        let mut order = SignOrder::new(self.rows, &self.query_vector);
        let mut several = several(self.rows.len(), limit);
        let (mut hits, mut looks) = (Vec::new(), LOOKS);
        let mut there = self.connection.prepare_cached(IS_THERE)?;
        while hits.len() < limit {
            let places = order.next(several, |place| {
                self.rows.at(place).is_some_and(|held| self.hit_filter.may_pass(held.memory))
            });
            if places.is_empty() {
                break;
            }
            let before = hits.len();
            for (cosine, held) in self.best_first(&places) {
                if hits.len() == before + limit {
                    break;
                }
                // Asked first: what a filter keeps out is most of it.
                let passed = self.hit_filter.pass(held.memory)?;
                if passed.is_none() && looks == 0 {
                    continue;
                }
                looks -= usize::from(passed.is_none());
                if !there.exists([held.number])? {
                    // What is too new for this reader only seems to be gone.
                    gone.extend((held.number <= newest).then_some(held.number));
                } else if passed.is_some() {
                    hits.push((cosine, held));
                }
            }
            several = several.saturating_mul(8);
        }
        hits.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        hits.truncate(limit);
        let mut loader = MemoryLoader::new(self.connection)?;
        let hit = |(cosine, held): (f32, VectorRow)| {
            Ok(VectorHit { memory: loader.load(held.memory)?, cosine })
        };
        hits.into_iter().map(hit).collect()
    }

    /// Vectors by their cosines, the nearer one first, then the newer one.
    fn best_first(&self, places: &[u32]) -> Vec<(f32, VectorRow)> {
        let cosines = self.rows.cosines(&self.query_vector, places);
        let mut ranked: Vec<(f32, u32)> = cosines.into_iter().zip(places.iter().copied()).collect();
        ranked.sort_unstable_by(|(one, place), (other, other_place)| {
            other.total_cmp(one).then(other_place.cmp(place))
        });
        let held =
            |(cosine, place): (f32, u32)| Some((cosine.clamp(-1.0, 1.0), self.rows.at(place)?));
        ranked.into_iter().filter_map(held).collect()
    }
}

/// Whether the file still has a vector.
pub(super) const IS_THERE: &str = "SELECT 1 FROM memory_vectors WHERE number = ?1";
