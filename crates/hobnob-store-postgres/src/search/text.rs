//! Text search: chooses candidates by a rough score, then scores them with length and neighbours.
//!
//! A candidate counts only after it passes the filter, so a page is filled after filtering.

use super::caches::PostgresCaches;
use super::hit_filter::{FilteredMemory, HitFilter};
use super::passing::within_reach;
use super::work::SearchWork;
use super::{load, neighbours, postings};
use crate::error::Result;
use crate::transaction::Transaction;
use hobnob_store::Time;
use hobnob_store::memory::{MemoryAccess, MemoryFilter, TextHit};
use hobnob_store::search::{
    MORE_CANDIDATES, ScoringQuery, SearchCandidate, SearchCandidates, rough_order,
};
use hobnob_store::words::query_terms;

/// How many candidates are tested at once, at least and at most.
const TESTED_AT_ONCE: (usize, usize) = (64, 2_048);

/// The best memories by text, best first.
pub(super) async fn by_text(
    transaction: &Transaction,
    caches: &PostgresCaches,
    (access, filter): (&MemoryAccess, &MemoryFilter),
    query: &str,
    limit: usize,
) -> Result<Vec<TextHit>> {
    let work = SearchWork::new(transaction).await?;
    let reach = within_reach(&caches.passing, &work, access).await?;
    let terms = query_terms(query);
    let terms = postings::read(&work, &caches.frequent, reach.as_deref(), &terms).await?;
    let question = ScoringQuery::new(terms, query.len());
    let enough = limit.saturating_add(MORE_CANDIDATES);
    let mut rough = rough_order(&question);
    let (sets, candidates) = (&caches.passing, rough.len());
    let mut hit_filter = HitFilter::new(&work, sets, (access, filter), enough, candidates).await?;
    let mut found: Vec<(i64, FilteredMemory)> = Vec::new();
    while found.len() < enough {
        let (least, most) = TESTED_AT_ONCE;
        let count = (enough - found.len()).saturating_mul(2).clamp(least, most);
        let numbers: Vec<i64> =
            std::iter::from_fn(|| rough.pop()).take(count).map(|hit| hit.number).collect();
        if numbers.is_empty() {
            break;
        }
        let passed = hit_filter.pass(&numbers).await?;
        found.extend(numbers.iter().filter_map(|number| Some((*number, *passed.get(number)?))));
    }
    found.truncate(enough);
    for (_, passed) in found.iter_mut().skip(limit) {
        // Beyond `limit` candidates, neighbours no longer move a memory to the front.
        passed.has_source = false;
    }
    let mut ranked = SearchCandidates::default();
    add_candidates(&work, &mut ranked, &found, access.now).await?;
    let beside = ranked.beside_the_best();
    let passed = hit_filter.pass(&beside).await?;
    let beside: Vec<(i64, FilteredMemory)> =
        beside.iter().filter_map(|number| Some((*number, *passed.get(number)?))).collect();
    add_candidates(&work, &mut ranked, &beside, access.now).await?;
    let best = ranked.best(&question, limit);
    let numbers: Vec<i64> = best.iter().map(|(number, _)| *number).collect();
    let mut memories = load::load(&work, &caches.loaded, &numbers).await?;
    let hit = |(number, fit): (i64, f64)| {
        let memory = memories.remove(&number)?;
        Some(TextHit { memory, fit, fit_of_known: fit / question.known() })
    };
    Ok(best.into_iter().filter_map(hit).collect())
}

/// Adds memories that passed the filter, with their neighbours.
async fn add_candidates(
    work: &SearchWork<'_>,
    ranked: &mut SearchCandidates,
    found: &[(i64, FilteredMemory)],
    now: Time,
) -> Result<()> {
    let with_source: Vec<i64> =
        found.iter().filter(|(_, passed)| passed.has_source).map(|(number, _)| *number).collect();
    let beside = neighbours::beside(work, &with_source, now, 1).await?;
    for (number, passed) in found {
        let near =
            beside.get(number).map(|sides| sides.each_ref().map(|side| side.first().copied()));
        let beside = near.unwrap_or_default();
        ranked.push(SearchCandidate { number: *number, length: passed.bytes, beside });
    }
    Ok(())
}
