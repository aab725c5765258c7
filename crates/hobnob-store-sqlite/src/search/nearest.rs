//! Vector search over all vectors of a model: by Hamming distance of sign bits first, then by exact
//! cosines of the nearest ones. The filter is applied before a memory is loaded.

use super::caches::SearchCaches;
use super::hit_filter::HitFilter;
use super::load::MemoryLoader;
use super::vectors::{VectorReader, read_new};
use hobnob_store::memory::{MemoryAccess, MemoryFilter, VectorHit};
use hobnob_store::search::{
    LoadedMemories, QueryVector, SignOrder, VectorRow, VectorTable, best_first, exact_candidates,
};
use rusqlite::{Connection, Result};

/// For how many rejected memories one search checks whether their vectors are gone.
const MAX_GONE_CHECKS: usize = 32;

/// The vector to search for, and the model it belongs to.
pub(super) struct VectorQuery {
    pub(super) model: String,
    pub(super) vector: Vec<f32>,
    pub(super) limit: usize,
}

/// The nearest memories by cosine, nearest first.
pub(super) fn by_vector(
    connection: &Connection,
    caches: &SearchCaches,
    (access, filter): (&MemoryAccess, &MemoryFilter),
    query: &VectorQuery,
) -> Result<Vec<VectorHit>> {
    let Some(query_vector) = QueryVector::new(&query.vector) else { return Ok(Vec::new()) };
    let model_vectors = caches.vectors.model_vectors(&query.model, query.vector.len());
    let newest = read_new(connection, &model_vectors)?;
    let mut gone = Vec::new();
    let hits = {
        let rows = model_vectors.rows();
        let wanted = (access, filter);
        let hit_filter =
            HitFilter::new(connection, &caches.passing, wanted, query.limit, rows.len())?;
        let mut search = NearestSearch {
            connection,
            model: &query.model,
            loaded: &caches.loaded,
            rows: &rows,
            query_vector,
            hit_filter,
        };
        search.hits(query.limit, newest, &mut gone)?
    };
    model_vectors.remove(&gone);
    Ok(hits)
}

struct NearestSearch<'s> {
    connection: &'s Connection,
    model: &'s str,
    loaded: &'s LoadedMemories,
    rows: &'s VectorTable,
    query_vector: QueryVector,
    hit_filter: HitFilter<'s>,
}

/// The hits found so far, and the deleted vectors noticed on the way.
struct PassingHits<'s> {
    hits: Vec<(f32, VectorRow)>,
    /// How many rejected memories may still be checked for being gone.
    looks: usize,
    /// The newest vector that this reader can see.
    newest: i64,
    gone: &'s mut Vec<i64>,
}

impl NearestSearch<'_> {
    /// Re-ranks the nearest by sign bits exactly, and continues with more of them if too few pass.
    fn hits(&mut self, limit: usize, newest: i64, gone: &mut Vec<i64>) -> Result<Vec<VectorHit>> {
        let mut order = SignOrder::new(self.rows, &self.query_vector);
        let candidates = self.hit_filter.passing().unwrap_or(self.rows.len());
        let mut count = exact_candidates(candidates.min(self.rows.len()), limit);
        let mut found = PassingHits { hits: Vec::new(), looks: MAX_GONE_CHECKS, newest, gone };
        while found.hits.len() < limit {
            let places = order.next(count, |place| {
                self.rows.at(place).is_some_and(|held| self.hit_filter.may_pass(held.memory))
            });
            if places.is_empty() {
                break;
            }
            self.add_passing(&places, limit, &mut found)?;
            count = count.saturating_mul(8);
        }
        let mut hits = found.hits;
        hits.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        hits.truncate(limit);
        let mut loader = MemoryLoader::new(self.connection, self.loaded)?;
        let hit = |(cosine, held): (f32, VectorRow)| {
            Ok(VectorHit { memory: loader.load(held.memory)?, cosine })
        };
        hits.into_iter().map(hit).collect()
    }

    /// Adds the nearest of these that pass the filter, at most as many as are wanted.
    fn add_passing(
        &mut self,
        places: &[u32],
        limit: usize,
        found: &mut PassingHits<'_>,
    ) -> Result<()> {
        let mut there = self.connection.prepare_cached(IS_THERE)?;
        let enough = found.hits.len().saturating_add(limit);
        let mut reader = VectorReader::new(self.connection)?;
        let read = |held, parts: &mut Vec<i8>| reader.read(held, parts);
        for (cosine, held) in best_first(self.rows, &self.query_vector, places, read)? {
            if found.hits.len() == enough {
                break;
            }
            // The filter comes first: it rejects most memories.
            let passed = self.hit_filter.pass(held.memory)?;
            if passed.is_none() && found.looks == 0 {
                continue;
            }
            found.looks -= usize::from(passed.is_none());
            if !there.exists((held.memory, self.model, held.number))? {
                // A vector that is too new for this reader's snapshot only seems to be gone.
                found.gone.extend((held.number <= found.newest).then_some(held.number));
            } else if passed.is_some() {
                found.hits.push((cosine, held));
            }
        }
        Ok(())
    }
}

/// Whether the file still has this vector of a memory and a model. The query reads only an index,
/// which is a tenth of the size of the table.
pub(super) const IS_THERE: &str = "SELECT 1 FROM memory_vectors \
     INDEXED BY sqlite_autoindex_memory_vectors_1 \
     WHERE memory = ?1 AND model = ?2 AND +number = ?3";
