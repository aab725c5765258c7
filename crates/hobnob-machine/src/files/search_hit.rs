//! A search hit: an entry, or a matching line of a file. Data only.
//!
//! The search passes each hit to the caller's [`SearchControl`](super::SearchControl) when it finds
//! it, and returns the hits of one page at its end.

use std::ops::Range;
use std::time::SystemTime;

use hobnob_policy::EntryKind;

/// An entry or a line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// Its path below the granted folder, with replacement characters if it is not UTF-8.
    pub path: String,
    /// For a path that is not UTF-8: all its bytes, percent-encoded.
    pub encoded: Option<String>,
    /// The kind of the entry itself; a link is not followed.
    pub kind: EntryKind,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// The line, if the search has a content pattern.
    pub line: Option<LineHit>,
}

/// A matching line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHit {
    /// The number of the line, from 1.
    pub number: u64,
    /// The line without its line break, or the part of a long line around the first match.
    pub text: String,
    /// The byte ranges of the matches in `text`; empty if the line is not UTF-8.
    pub spans: Vec<Range<usize>>,
    /// Whether `text` is only a part of the line.
    pub cut: bool,
}
