//! A server that a pasted text has, and why a text has none.
//!
//! All files of `paste` use it. What must stay true: a problem quotes no value of the text.

use serde_json::Value;

/// A server in a pasted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastedServer {
    /// Its name in the text, or one that its package or host suggests; it may not be a valid one.
    pub name: String,
    /// The entry to write, in our spelling.
    pub entry: Value,
    /// What the person has to know or do.
    pub notes: Vec<String>,
}

/// Why a text is not understood, and what to paste instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PasteProblem(String);

impl PasteProblem {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}
