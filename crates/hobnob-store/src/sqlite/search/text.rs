//! Search by words: candidates by the words they have, then exactly, with length and neighbours.
//!
//! Candidates pass the filter before they count, so a page is filled after filtering.

use super::caches::SearchCaches;
use super::hit_filter::{FilteredMemory, HitFilter};
use super::load::MemoryLoader;
use super::neighbours::Neighbours;
use super::postings::{self, Term};
use super::score::{ScoringQuery, roughly};
use crate::memory::{MemoryAccess, MemoryFilter, TextHit};
use crate::search::Posting;
use crate::words::query_terms;
use rusqlite::{Connection, Result};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Candidates beyond those that are wanted, since the exact order differs from the rough one.
const MORE: usize = 32;
/// The best candidates' neighbours are candidates themselves.
const WITH_NEIGHBOURS: usize = 24;

/// The best by text, best first.
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
    let enough = limit.saturating_add(MORE);
    let mut rough = rough_order(&question);
    let (sets, candidates) = (&caches.passing, rough.len());
    let mut hit_filter = HitFilter::new(connection, sets, (access, filter), enough, candidates)?;
    let mut neighbours = Neighbours::new(connection, access)?;
    let mut found = Found::default();
    while found.0.len() < enough {
        let Some(UnfilteredHit { number, .. }) = rough.pop() else { break };
        if let Some(mut passed) = hit_filter.pass(number)? {
            // What comes behind so many others is not brought forward by its neighbours.
            passed.has_source &= found.0.len() < limit;
            found.0.push(Candidate::new(&mut neighbours, number, passed)?);
        }
    }
    for number in found.beside_the_best() {
        if let Some(passed) = hit_filter.pass(number)? {
            found.0.push(Candidate::new(&mut neighbours, number, passed)?);
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

/// A candidate before filters, by its score without neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
struct UnfilteredHit {
    score: f64,
    number: i64,
}

impl Eq for UnfilteredHit {}

impl Ord for UnfilteredHit {
    /// The newer one goes first where both fit alike.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for UnfilteredHit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn rough_order(question: &ScoringQuery) -> BinaryHeap<UnfilteredHit> {
    let mut rough = Vec::new();
    for Term { weight, postings } in question.terms() {
        let score = |posting: &Posting| weight * roughly(*posting);
        rough.extend(
            postings.iter().map(|it| UnfilteredHit { score: score(it), number: it.memory }),
        );
    }
    // Each term's are in order already, and this sort only merges them.
    rough.sort_by_key(|it| it.number);
    rough.dedup_by(|next, kept| {
        let same = next.number == kept.number;
        kept.score += if same { next.score } else { 0.0 };
        same
    });
    rough.into()
}

/// What passed the filter.
struct Candidate {
    number: i64,
    /// The length of the content in bytes.
    length: usize,
    beside: [Option<i64>; 2],
}

impl Candidate {
    fn new(neighbours: &mut Neighbours<'_>, number: i64, passed: FilteredMemory) -> Result<Self> {
        let beside = match passed.has_source {
            true => neighbours.of(number)?,
            false => [None, None],
        };
        Ok(Self { number, length: passed.bytes, beside })
    }
}

/// Candidates in their rough order.
#[derive(Default)]
struct Found(Vec<Candidate>);

impl Found {
    /// Neighbours of the best that are no candidates yet.
    fn beside_the_best(&self) -> Vec<i64> {
        let best = self.0.iter().take(WITH_NEIGHBOURS);
        let mut numbers: Vec<i64> = best.flat_map(|candidate| candidate.beside).flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| self.0.iter().all(|known| known.number != *number));
        numbers
    }

    /// The best numbers and how well they fit, the newer one first where two are alike.
    fn best(&self, question: &ScoringQuery, limit: usize) -> Vec<(i64, f64)> {
        let fit = |it: &Candidate| (it.number, question.fit(it.number, it.length, it.beside));
        let mut best: Vec<(i64, f64)> = self.0.iter().map(fit).collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        best.truncate(limit);
        best
    }
}
