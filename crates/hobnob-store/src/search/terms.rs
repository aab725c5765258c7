//! The words of a query and where they are: how much each counts, and which ones count at all.
//!
//! A backend looks up where a word is and hands that in, in the order of the query.

use super::number_set::NumberSet;
use super::posting::{PostingList, TermPosting};
use crate::words::{QueryTerm, TokenKind};
use std::sync::Arc;

/// Places that are read for one term, and for all terms of a query: reading on would take longer
/// than anyone waits. Every term gets its share, whichever comes first.
const MAX_PLACES_PER_TERM: usize = 60_000;
const MAX_PLACES: usize = 200_000;
/// The same where only the number counts: what is in more places is not rare at all.
pub const MAX_PLACES_FOR_RARITY: usize = 5_000;

/// How many memories it takes to know how rare a word is.
const FEW: f64 = 1_000.0;

/// What a word counts that no memory has. It says that something else is meant, but people also ask
/// with words that nobody wrote down.
const UNKNOWN: f64 = 0.7;

/// A term of a query and where it is.
#[derive(Debug)]
pub struct Term {
    /// How much it says: the fewer have it, the more.
    pub weight: f64,
    /// By number, each memory once.
    pub postings: Arc<Vec<TermPosting>>,
}

impl Term {
    /// How often a memory has it.
    pub fn of(&self, memory: i64) -> Option<TermPosting> {
        let place = self.postings.binary_search_by_key(&memory, |posting| posting.memory).ok()?;
        self.postings.get(place).copied()
    }
}

/// The terms of one query, while they are looked up.
#[derive(Debug)]
pub struct TermLookup {
    /// About how many memories there are.
    all: i64,
    share: usize,
    terms: Vec<Term>,
    frequent: Vec<Term>,
}

impl TermLookup {
    /// For a query of so many words, in so many memories.
    pub fn new(words: usize, all: i64) -> Self {
        let share = (MAX_PLACES / words.max(1)).min(MAX_PLACES_PER_TERM);
        Self { all, share, terms: Vec::with_capacity(words), frequent: Vec::new() }
    }

    /// Places that are read of each word.
    pub fn share(&self) -> usize {
        self.share
    }

    /// Adds a word of the query and where it is. A name that nobody spelled so is left out: its parts
    /// are words of the query too.
    pub fn add(&mut self, word: &QueryTerm, places: PostingList, reach: Option<&NumberSet>) {
        let PostingList { postings, count } = places.within(reach);
        if postings.is_empty() && word.kind == TokenKind::Whole {
            return;
        }
        let known = if postings.is_empty() { UNKNOWN } else { 1.0 };
        let term = Term { weight: known * term_weight(self.all, postings.len()), postings };
        // Of what is everywhere only the oldest places were read, and it says little anyway.
        let terms = if self.share <= count { &mut self.frequent } else { &mut self.terms };
        terms.push(term);
    }

    /// The terms that count: the frequent ones only if no other word is anywhere.
    pub fn finish(self) -> Vec<Term> {
        match self.terms.iter().any(|term| !term.postings.is_empty()) {
            true => self.terms,
            false => self.frequent,
        }
    }
}

/// Of so many memories, so many have it. Where there are only a few memories, that says little of
/// how rare a word is, and a word that none has must not outweigh the others: it is taken for one
/// of many more that nobody captured.
pub fn term_weight(all: i64, having: usize) -> f64 {
    let having = having as f64;
    let all = (all as f64).max(having).max(FEW);
    (1.0 + (all - having + 0.5) / (having + 0.5)).ln()
}
