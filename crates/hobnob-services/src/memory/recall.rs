//! What fits a question: by words, by meaning, or by both, with a score that says how well.

mod request;

mod cursor;
mod fuse;
mod meaning;
mod snippet;

mod find;

#[cfg(test)]
mod tests;

pub use find::Recall;
pub use request::{Hit, RecallError, RecallMode, RecallRequest, Recalled};
