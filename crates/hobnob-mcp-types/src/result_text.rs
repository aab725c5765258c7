//! The result of a response: JSON text, with a count made by the pass that validated it.
//!
//! The envelope decoder makes it. Clients pass most results on unchanged; the count tells them when
//! they can, without a second pass over a text that may be long.

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

    /// How many strings in it, keys included, begin like a member that the protocol itself reads in
    /// results (`_meta`, `cacheScope`, `resultType`, `structuredContent`, `ttlMs`) or like
    /// `resource`, plus every `\u` escape, which may hide one. `None` if they were not counted.
    pub fn keywords(&self) -> Option<usize> {
        self.keywords
    }
}

/// Whether a string with this beginning counts as a keyword. All members that the engine's
/// `downgrade` changes must be among them; otherwise older callers would get them unchanged.
pub(crate) fn begins_like_keyword(string: &[u8]) -> bool {
    let begins = |word: &str| string.starts_with(word.as_bytes());
    // The first letter rules out almost every string.
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
