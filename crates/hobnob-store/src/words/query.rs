//! The terms of a query: its distinct words, without stop words.
//!
//! Text search and the fusion of text and vector search start from these.

use super::split::{TokenKind, each_word};

/// Bytes of a query that are read; real queries are far shorter.
const MAX_QUERY_BYTES: usize = 8_192;
/// Maximum number of terms of a query.
const MAX_TERMS: usize = 48;

/// A term of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryTerm {
    /// The folded and stemmed form of the word.
    pub term: String,
    /// Whether it is a plain word, a stop word or a whole identifier.
    pub kind: TokenKind,
}

/// The distinct terms of a query in order, without stop words unless there are no others.
pub fn query_terms(query: &str) -> Vec<QueryTerm> {
    let query = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
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
