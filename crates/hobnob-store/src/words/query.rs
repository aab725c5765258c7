//! The terms of a query: its different words, without those that say nothing.
//!
//! Search by text and the fusion of both searches start from these.

use super::split::{TokenKind, each_word};

/// Bytes of a query that are read; nobody asks with more.
const READ: usize = 8_192;
/// Different words of a query that count.
const MAX_TERMS: usize = 48;

/// A word that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The form in which it is compared.
    pub term: String,
    /// Whether it is a word, a number or something else.
    pub kind: TokenKind,
}

/// The different words of a query in their order, without those that say nothing unless there are
/// no others.
pub fn query_terms(query: &str) -> Vec<QueryTerm> {
    let query = &query[..query.floor_char_boundary(READ)];
    let mut all: Vec<QueryTerm> = Vec::new();
    each_word(query, |word| {
        if all.len() < 4 * MAX_TERMS && all.iter().all(|seen| seen.term != word.term) {
            all.push(QueryTerm { term: word.term.to_owned(), kind: word.kind });
        }
    });
    if all.iter().any(|word| word.kind != TokenKind::Stop) {
        all.retain(|word| word.kind != TokenKind::Stop);
    }
    all.truncate(MAX_TERMS);
    all
}
