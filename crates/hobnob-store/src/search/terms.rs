//! The terms of a query with postings and weights (BM25's inverse document frequency).
//!
//! A backend looks up the postings of each term and passes them in, in the order of the query.

use super::number_set::NumberSet;
use super::posting::{PostingList, TermPosting};
use crate::words::{QueryTerm, TokenKind};
use std::sync::Arc;

/// Occurrences read for one term, and for all terms of a query: reading on would take longer than a
/// person waits. Every term gets an equal share.
const MAX_PLACES_PER_TERM: usize = 60_000;
const MAX_PLACES: usize = 200_000;
/// The same where only the document frequency matters: a word with more occurrences is not rare.
pub const MAX_PLACES_FOR_RARITY: usize = 5_000;

/// The smallest collection size that weights are computed for.
const MIN_COLLECTION_SIZE: f64 = 1_000.0;

/// The weight factor of a word that no memory has. Such a word suggests that the query means
/// something else, but people also ask in words that no memory uses.
const UNKNOWN_WEIGHT: f64 = 0.7;

/// A term of a query with its postings.
#[derive(Debug)]
pub struct Term {
    /// The inverse document frequency: the fewer memories have the term, the larger.
    pub weight: f64,
    /// Sorted by row number, each memory once.
    pub postings: Arc<Vec<TermPosting>>,
}

impl Term {
    /// The posting of one memory; `None` if the memory does not have the term.
    pub fn of(&self, memory: i64) -> Option<TermPosting> {
        let place = self.postings.binary_search_by_key(&memory, |posting| posting.memory).ok()?;
        self.postings.get(place).copied()
    }
}

/// Collects the terms of one query while the backend looks them up.
#[derive(Debug)]
pub struct TermLookup {
    /// The approximate number of memories.
    all: i64,
    share: usize,
    terms: Vec<Term>,
    frequent: Vec<Term>,
}

impl TermLookup {
    /// For a query of `words` words in a store of `all` memories.
    pub fn new(words: usize, all: i64) -> Self {
        let share = (MAX_PLACES / words.max(1)).min(MAX_PLACES_PER_TERM);
        Self { all, share, terms: Vec::with_capacity(words), frequent: Vec::new() }
    }

    /// How many occurrences the backend reads of each word.
    pub fn share(&self) -> usize {
        self.share
    }

    /// Adds a word of the query with its postings. A compound name that no memory spells this way
    /// is left out: its parts are words of the query too.
    pub fn add(&mut self, word: &QueryTerm, places: PostingList, reach: Option<&NumberSet>) {
        let PostingList { postings, count } = places.within(reach);
        if postings.is_empty() && word.kind == TokenKind::Whole {
            return;
        }
        let known = if postings.is_empty() { UNKNOWN_WEIGHT } else { 1.0 };
        let term = Term { weight: known * term_weight(self.all, postings.len()), postings };
        // Of a very frequent term only the oldest postings were read, and it says little anyway.
        let terms = if self.share <= count { &mut self.frequent } else { &mut self.terms };
        terms.push(term);
    }

    /// The terms to search for: the very frequent ones only if no other term has a posting.
    pub fn finish(self) -> Vec<Term> {
        match self.terms.iter().any(|term| !term.postings.is_empty()) {
            true => self.terms,
            false => self.frequent,
        }
    }
}

/// BM25's inverse document frequency of a term that `having` of `all` memories have. A small store
/// says little about rarity, and a word that no memory has must not outweigh the others, so the
/// store counts as at least `MIN_COLLECTION_SIZE` memories.
pub fn term_weight(all: i64, having: usize) -> f64 {
    let having = having as f64;
    let all = (all as f64).max(having).max(MIN_COLLECTION_SIZE);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}
