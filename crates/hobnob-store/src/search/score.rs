//! How well a text fits the words of a query: BM25 over what it says, what is said about it, and,
//! a little, what was said just before and after it.

use super::posting::TermPosting;
use super::terms::Term;

/// How soon a word that comes again says nothing more.
const SATURATION: f64 = 0.5;
/// How much longer texts must have a word more often.
const BY_LENGTH: f64 = 0.4;
/// Bytes of a text of usual length.
const USUAL: f64 = 200.0;
/// What a tag, a namespace, a source or a date counts, where a word of the text counts 1.
const LABEL: f64 = 0.8;
/// What a word counts that only a neighbour has.
const NEIGHBOUR: f64 = 0.35;

/// What a query asks for, and where it is.
#[derive(Debug)]
pub struct ScoringQuery {
    terms: Vec<Term>,
    whole: f64,
    known: f64,
    usual: f64,
}

impl ScoringQuery {
    /// Of a query of so many bytes. What is not longer than the query itself is not long.
    pub fn new(terms: Vec<Term>, bytes: usize) -> Self {
        let whole = terms.iter().map(|term| term.weight).sum::<f64>().max(f64::MIN_POSITIVE);
        let known = terms.iter().filter(|term| !term.postings.is_empty());
        let known = known.map(|term| term.weight).sum::<f64>().max(f64::MIN_POSITIVE);
        Self { terms, whole, known, usual: USUAL.max(bytes as f64) }
    }

    /// The share of the query that any memory has.
    pub fn known(&self) -> f64 {
        self.known / self.whole
    }

    /// The terms of it.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// How well one memory fits, knowing its length in bytes and its neighbours.
    pub fn fit(&self, memory: i64, length: usize, beside: [Option<i64>; 2]) -> f64 {
        let usual = 1.0 - BY_LENGTH + BY_LENGTH * length as f64 / self.usual;
        let fit = |term: &Term| {
            let own = term.of(memory).map_or(0.0, |posting| saturated(posting, usual));
            let near = |number: i64| term.of(number).is_some_and(|posting| 0 < posting.body);
            let near = if beside.into_iter().flatten().any(near) { NEIGHBOUR } else { 0.0 };
            term.weight * own.max(near)
        };
        self.terms.iter().map(fit).sum::<f64>() / self.whole
    }
}

/// What a term counts in a memory whose length is yet unknown; for choosing candidates.
pub(super) fn roughly(posting: TermPosting) -> f64 {
    saturated(posting, 1.0)
}

fn saturated(posting: TermPosting, usual: f64) -> f64 {
    let count = f64::from(posting.body) / usual + LABEL * f64::from(posting.labels.min(1));
    count * (SATURATION + 1.0) / (count + SATURATION)
}
