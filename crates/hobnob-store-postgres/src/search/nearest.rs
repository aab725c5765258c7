//! Vector search over all vectors of a model: by Hamming distance of sign bits first, then by exact
//! cosines of the nearest ones. The filter is applied before a memory is loaded.

use super::caches::PostgresCaches;
use super::hit_filter::HitFilter;
use super::load;
use super::vectors::{StoredParts, read_new, still_there, sure};
use super::work::SearchWork;
use crate::error::Result;
use crate::transaction::Transaction;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, VectorHit};
use hobnob_store::search::{QueryVector, SignOrder, VectorRow, best_first, exact_candidates};
use std::collections::HashSet;

/// How many candidates are tested at once, at least and at most.
const TESTED_AT_ONCE: (usize, usize) = (64, 2_048);

/// The vector to search for, and the model it belongs to.
pub(super) struct VectorQuery {
    pub(super) model: String,
    pub(super) vector: Vec<f32>,
    pub(super) limit: usize,
}

/// The nearest memories by cosine, nearest first.
pub(super) async fn by_vector(
    transaction: &Transaction,
    caches: &PostgresCaches,
    (access, filter): (&MemoryAccess, &MemoryFilter),
    query: &VectorQuery,
) -> Result<Vec<VectorHit>> {
    let Some(query_vector) = QueryVector::new(&query.vector) else { return Ok(Vec::new()) };
    let work = SearchWork::new(transaction).await?;
    let model_vectors = caches.vectors.model_vectors(&query.model, query.vector.len());
    let newest = read_new(&work, &model_vectors).await?;
    let limit = query.limit;
    let (mut order, len) = {
        let rows = model_vectors.rows();
        (SignOrder::new(&rows, &query_vector), rows.len())
    };
    let wanted = (access, filter);
    let mut hit_filter = HitFilter::new(&work, &caches.passing, wanted, limit, len).await?;
    let mut search = NearestSearch { work: &work, newest, hits: Vec::new(), gone: Vec::new() };
    let candidates = hit_filter.passing().map_or(len, |passing| passing.len());
    let mut count = exact_candidates(candidates.min(len), limit);
    let (mut seen, mut stored) = (HashSet::new(), StoredParts::default());
    while search.hits.len() < limit {
        let passing = hit_filter.passing();
        let places = {
            let rows = model_vectors.rows();
            order.next(count, |place| {
                let may_pass = |held: VectorRow| {
                    passing.as_ref().is_none_or(|passing| passing.contains(held.memory))
                };
                rows.at(place).is_some_and(may_pass)
            })
        };
        if places.is_empty() {
            break;
        }
        let ranked = stored.compare(&work, |read| {
            let rows = model_vectors.rows();
            sure(best_first(&rows, &query_vector, &places, read)).collect::<Vec<_>>()
        });
        let mut near = ranked.await?;
        // The table may have been compacted since the order was computed.
        near.retain(|(_, held)| seen.insert(held.number));
        search.add_passing(&mut hit_filter, &near, limit).await?;
        count = count.saturating_mul(8);
    }
    model_vectors.remove(&search.gone);
    let mut hits = search.hits;
    hits.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    hits.truncate(limit);
    let numbers: Vec<i64> = hits.iter().map(|(_, memory)| *memory).collect();
    let mut memories = load::load(&work, &caches.loaded, &numbers).await?;
    let hit = |(cosine, number): (f32, i64)| {
        Some(VectorHit { memory: memories.remove(&number)?, cosine })
    };
    Ok(hits.into_iter().filter_map(hit).collect())
}

/// The hits found so far, and the deleted vectors noticed on the way.
struct NearestSearch<'s> {
    work: &'s SearchWork<'s>,
    /// The newest vector that this snapshot has.
    newest: i64,
    /// Cosines and row numbers of memories.
    hits: Vec<(f32, i64)>,
    gone: Vec<i64>,
}

impl NearestSearch<'_> {
    /// Adds the nearest of these that pass the filter, at most as many as are wanted.
    async fn add_passing(
        &mut self,
        hit_filter: &mut HitFilter<'_>,
        near: &[(f32, VectorRow)],
        limit: usize,
    ) -> Result<()> {
        let enough = self.hits.len().saturating_add(limit);
        let (least, most) = TESTED_AT_ONCE;
        for part in near.chunks(limit.saturating_mul(2).clamp(least, most)) {
            if self.hits.len() == enough {
                break;
            }
            let memories: Vec<i64> = part.iter().map(|(_, held)| held.memory).collect();
            let vectors: Vec<i64> = part.iter().map(|(_, held)| held.number).collect();
            let passed = hit_filter.pass(&memories).await?;
            let there = still_there(self.work, &vectors).await?;
            for (cosine, held) in part {
                if !there.contains(&held.number) {
                    // A vector that is too new for this snapshot only seems to be gone.
                    self.gone.extend((held.number <= self.newest).then_some(held.number));
                } else if passed.contains_key(&held.memory) && self.hits.len() < enough {
                    self.hits.push((*cosine, held.memory));
                }
            }
        }
        Ok(())
    }
}
