//! The result of a response: text, with what the pass that checked it saw in passing.
//!
//! The envelope makes it. Clients pass most results on as they came; whether one can be is known
//! here without another look at its text, which may be long.

use std::fmt;
use std::ops::Deref;

/// A result as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultText {
    text: Box<str>,
    keywords: Option<usize>,
}

impl ResultText {
    pub(crate) fn new(text: &str, keywords: usize) -> Self {
        Self { text: text.into(), keywords: Some(keywords) }
    }

    /// How many strings in it, keys included, begin like a member that the protocol itself reads
    /// in results (`_meta`, `cacheScope`, `resultType`, `structuredContent`, `ttlMs`) or like a
    /// `resource`, or might be such a spelling with escapes. `None` if nobody has counted.
    pub fn keywords(&self) -> Option<usize> {
        self.keywords
    }
}

/// Whether a string that begins so counts as a keyword. Every member that the engine's `downgrade`
/// changes in a tool's result must be among them, or older callers would get it unchanged.
pub(crate) fn begins_like_keyword(string: &[u8]) -> bool {
    let begins = |word: &str| string.starts_with(word.as_bytes());
    // The first letter rules almost everything out.
    match string.first() {
        Some(b'_') => begins("_meta"),
        Some(b'c') => begins("cacheScope"),
        Some(b'r') => begins("resource") || begins("resultType"),
        Some(b's') => begins("structuredContent"),
        Some(b't') => begins("ttlMs"),
        _ => false,
    }
}

impl Deref for ResultText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for ResultText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Box<str>> for ResultText {
    fn from(text: Box<str>) -> Self {
        Self { text, keywords: None }
    }
}

impl From<ResultText> for Box<str> {
    fn from(result: ResultText) -> Self {
        result.text
    }
}
