//! Tokenisation: text as comparable terms, without case, diacritics and endings; code identifiers
//! give their parts and the whole. Indexing, queries and highlighting share it.

mod dates;
mod fold;
mod query;
mod split;

#[cfg(test)]
mod tests;

pub use dates::{day_words, spell_dates};
pub use fold::folded;
pub use query::{QueryTerm, query_terms};
pub use split::{TextToken, TokenKind, each_word};
