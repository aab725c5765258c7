//! Which memories a search by words looks at, and in which order: roughly by their words first, then
//! exactly, with length and neighbours.
//!
//! A backend filters between the two and says who stands beside whom.

use super::posting::TermPosting;
use super::score::{ScoringQuery, roughly};
use super::terms::Term;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Candidates beyond those that are wanted, since the exact order differs from the rough one.
pub const MORE_CANDIDATES: usize = 32;
/// The best candidates' neighbours are candidates themselves.
const WITH_NEIGHBOURS: usize = 24;

/// A candidate before filters, by its score without neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnfilteredHit {
    score: f64,
    /// The number of the memory.
    pub number: i64,
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

/// Every memory that has a word of the query; the best is popped first.
pub fn rough_order(question: &ScoringQuery) -> BinaryHeap<UnfilteredHit> {
    let mut rough = Vec::new();
    for Term { weight, postings } in question.terms() {
        let score = |posting: &TermPosting| weight * roughly(*posting);
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
#[derive(Debug)]
pub struct SearchCandidate {
    /// The number of the memory.
    pub number: i64,
    /// The length of the content in bytes.
    pub length: usize,
    /// Who stands just before it and just after it.
    pub beside: [Option<i64>; 2],
}

/// Candidates in their rough order.
#[derive(Debug, Default)]
pub struct SearchCandidates(Vec<SearchCandidate>);

impl SearchCandidates {
    /// Adds one behind the others.
    pub fn push(&mut self, candidate: SearchCandidate) {
        self.0.push(candidate);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Neighbours of the best that are no candidates yet.
    pub fn beside_the_best(&self) -> Vec<i64> {
        let best = self.0.iter().take(WITH_NEIGHBOURS);
        let mut numbers: Vec<i64> = best.flat_map(|candidate| candidate.beside).flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| self.0.iter().all(|known| known.number != *number));
        numbers
    }

    /// The best numbers and how well they fit, the newer one first where two are alike.
    pub fn best(&self, question: &ScoringQuery, limit: usize) -> Vec<(i64, f64)> {
        let fit = |it: &SearchCandidate| (it.number, question.fit(it.number, it.length, it.beside));
        let mut best: Vec<(i64, f64)> = self.0.iter().map(fit).collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        best.truncate(limit);
        best
    }
}
