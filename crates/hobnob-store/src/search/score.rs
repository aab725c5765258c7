//! BM25 of a memory for a query: over its content, its labels, and with a small weight the memories
//! just before and after it.

use super::posting::TermPosting;
use super::terms::Term;

/// BM25's `k1`: how fast repeated occurrences of a word saturate.
const K1: f64 = 0.5;
/// BM25's `b`: how strongly a score is normalised by text length.
const B: f64 = 0.4;
/// The average text length in bytes that normalisation assumes.
const AVERAGE_LENGTH: f64 = 200.0;
/// The weight of a tag, a namespace, a source or a date; a word of the content weighs 1.
const LABEL_WEIGHT: f64 = 0.8;
/// The weight of a word that only a neighbour has.
const NEIGHBOUR_WEIGHT: f64 = 0.35;

/// The terms of a query with their postings and the weights to normalise by.
#[derive(Debug)]
pub struct ScoringQuery {
    terms: Vec<Term>,
    total_weight: f64,
    known_weight: f64,
    average_length: f64,
}

impl ScoringQuery {
    /// For a query of `bytes` bytes. A text no longer than the query never counts as long.
    pub fn new(terms: Vec<Term>, bytes: usize) -> Self {
        let total_weight = terms.iter().map(|term| term.weight).sum::<f64>().max(f64::MIN_POSITIVE);
        let known = terms.iter().filter(|term| !term.postings.is_empty());
        let known_weight = known.map(|term| term.weight).sum::<f64>().max(f64::MIN_POSITIVE);
        Self { terms, total_weight, known_weight, average_length: AVERAGE_LENGTH.max(bytes as f64) }
    }

    /// The share of the query's weight whose words are in at least one memory.
    pub fn known(&self) -> f64 {
        self.known_weight / self.total_weight
    }

    /// The terms of the query.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// The score of one memory, given its length in bytes and its neighbours.
    pub fn fit(&self, memory: i64, length: usize, beside: [Option<i64>; 2]) -> f64 {
        let length_norm = 1.0 - B + B * length as f64 / self.average_length;
        let fit = |term: &Term| {
            let own = term.of(memory).map_or(0.0, |posting| saturated(posting, length_norm));
            let near = |number: i64| term.of(number).is_some_and(|posting| 0 < posting.body);
            let near = if beside.into_iter().flatten().any(near) { NEIGHBOUR_WEIGHT } else { 0.0 };
            term.weight * own.max(near)
        };
        self.terms.iter().map(fit).sum::<f64>() / self.total_weight
    }
}

/// The score of one term in a memory of unknown length, for choosing candidates.
pub(super) fn rough_score(posting: TermPosting) -> f64 {
    saturated(posting, 1.0)
}

fn saturated(posting: TermPosting, norm: f64) -> f64 {
    let count = f64::from(posting.body) / norm + LABEL_WEIGHT * f64::from(posting.labels.min(1));
    count * (K1 + 1.0) / (count + K1)
}
