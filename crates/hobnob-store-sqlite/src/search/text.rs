//! Text search: chooses candidates by a rough score, then scores them with length and neighbours.
//!
//! A candidate counts only after it passes the filter, so a page is filled after filtering.

use super::caches::SearchCaches;
use super::hit_filter::{FilteredMemory, HitFilter};
use super::load::MemoryLoader;
use super::neighbours::Neighbours;
use super::postings;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, TextHit};
use hobnob_store::search::{
    MORE_CANDIDATES, ScoringQuery, SearchCandidate, SearchCandidates, UnfilteredHit, rough_order,
};
use hobnob_store::words::query_terms;
use rusqlite::{Connection, Result};

/// The best memories by text, best first.
pub(super) fn by_text(
    connection: &Connection,
    caches: &SearchCaches,
    (access, filter): (&MemoryAccess, &MemoryFilter),
    query: &str,
    limit: usize,
) -> Result<Vec<TextHit>> {
    let reach = caches.passing.within_reach(connection, access)?;
    let terms = query_terms(query);
    let terms = postings::read(connection, &caches.frequent, reach.as_deref(), &terms)?;
    let question = ScoringQuery::new(terms, query.len());
    let enough = limit.saturating_add(MORE_CANDIDATES);
    let mut rough = rough_order(&question);
    let (sets, candidates) = (&caches.passing, rough.len());
    let mut hit_filter = HitFilter::new(connection, sets, (access, filter), enough, candidates)?;
    let mut neighbours = Neighbours::new(connection, access)?;
    let mut found = SearchCandidates::default();
    while found.len() < enough {
        let Some(UnfilteredHit { number, .. }) = rough.pop() else { break };
        if let Some(mut passed) = hit_filter.pass(number)? {
            // Beyond `limit` candidates, neighbours no longer move a memory to the front.
            passed.has_source &= found.len() < limit;
            found.push(candidate(&mut neighbours, number, passed)?);
        }
    }
    for number in found.beside_the_best() {
        if let Some(passed) = hit_filter.pass(number)? {
            found.push(candidate(&mut neighbours, number, passed)?);
        }
    }
    let best = found.best(&question, limit).into_iter();
    let mut loader = MemoryLoader::new(connection, &caches.loaded)?;
    let hit = |(number, fit): (i64, f64)| {
        let fit_of_known = fit / question.known();
        Ok(TextHit { memory: loader.load(number)?, fit, fit_of_known })
    };
    best.map(hit).collect()
}

/// A memory that passed the filter, with its neighbours.
fn candidate(
    neighbours: &mut Neighbours<'_>,
    number: i64,
    passed: FilteredMemory,
) -> Result<SearchCandidate> {
    let beside = match passed.has_source {
        true => neighbours.of(number)?,
        false => [None, None],
    };
    Ok(SearchCandidate { number, length: passed.bytes, beside })
}
