//! Chooses the memories that a text search scores: first by a rough BM25 score over words alone,
//! then by the exact score with text length and neighbours.
//!
//! Between the two steps a backend applies the filter and looks up each candidate's neighbours.

use super::posting::TermPosting;
use super::score::{ScoringQuery, rough_score};
use super::terms::Term;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Extra candidates beyond the requested hits, because exact and rough order differ.
pub const MORE_CANDIDATES: usize = 32;
/// The neighbours of this many best candidates become candidates too.
const EXPANDED_CANDIDATES: usize = 24;

/// A candidate before filtering, with its score without neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnfilteredHit {
    score: f64,
    /// The row number of the memory.
    pub number: i64,
}

impl Eq for UnfilteredHit {}

impl Ord for UnfilteredHit {
    /// On equal scores the newer memory goes first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for UnfilteredHit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Every memory that has a word of the query, as a max-heap by rough score.
pub fn rough_order(question: &ScoringQuery) -> BinaryHeap<UnfilteredHit> {
    let mut rough = Vec::new();
    for Term { weight, postings } in question.terms() {
        let score = |posting: &TermPosting| weight * rough_score(*posting);
        rough.extend(
            postings.iter().map(|it| UnfilteredHit { score: score(it), number: it.memory }),
        );
    }
    // Each term's list is sorted already, so this stable sort only merges runs.
    rough.sort_by_key(|it| it.number);
    rough.dedup_by(|next, kept| {
        let same = next.number == kept.number;
        kept.score += if same { next.score } else { 0.0 };
        same
    });
    rough.into()
}

/// A memory that passed the filter.
#[derive(Debug)]
pub struct SearchCandidate {
    /// The row number of the memory.
    pub number: i64,
    /// The length of the content in bytes.
    pub length: usize,
    /// The neighbours: the memories captured just before and just after it from the same source.
    pub beside: [Option<i64>; 2],
}

/// Candidates in rough order, best first.
#[derive(Debug, Default)]
pub struct SearchCandidates(Vec<SearchCandidate>);

impl SearchCandidates {
    /// Appends a candidate behind the others.
    pub fn push(&mut self, candidate: SearchCandidate) {
        self.0.push(candidate);
    }

    /// The number of candidates so far.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no candidate yet.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Neighbours of the best candidates that are not candidates themselves yet.
    pub fn beside_the_best(&self) -> Vec<i64> {
        let best = self.0.iter().take(EXPANDED_CANDIDATES);
        let mut numbers: Vec<i64> = best.flat_map(|candidate| candidate.beside).flatten().collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| self.0.iter().all(|known| known.number != *number));
        numbers
    }

    /// The best row numbers with their exact scores; on equal scores the newer memory goes first.
    pub fn best(&self, question: &ScoringQuery, limit: usize) -> Vec<(i64, f64)> {
        let fit = |it: &SearchCandidate| (it.number, question.fit(it.number, it.length, it.beside));
        let mut best: Vec<(i64, f64)> = self.0.iter().map(fit).collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
        best.truncate(limit);
        best
    }
}
