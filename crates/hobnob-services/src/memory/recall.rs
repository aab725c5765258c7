//! Finds what fits a question: by words, by meaning, or by both, with a score that says how well.
//!
//! The tool `recall`, prompts and the evaluation call it; without a model it finds by words alone.

mod request;

mod cursor;
mod fuse;
mod meaning;
mod question;
mod snippet;

mod find;

#[cfg(test)]
mod tests;

pub use find::Recall;
pub(super) use question::telling_term;
pub use request::{Hit, RecallError, RecallMode, RecallRequest, Recalled};
