//! Text as words that can be compared: without case, diacritics and endings, and names in code by
//! their parts and as wholes. What is indexed, asked and marked goes through here alike.

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
