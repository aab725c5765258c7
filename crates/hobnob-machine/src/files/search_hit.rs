//! What a search finds: an entry, or a line of a file. Handed out as it is found and on the page.

use std::ops::Range;
use std::time::SystemTime;

use hobnob_policy::EntryKind;

/// An entry or a line that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchHit {
    /// Its path below the granted folder, with replacement characters where it is not UTF-8.
    pub path: String,
    /// Only of a path that is not UTF-8: all its bytes, percent-encoded.
    pub encoded: Option<String>,
    /// What the entry is itself; a link is not followed.
    pub kind: EntryKind,
    /// How many bytes it has.
    pub size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// Only of a search for content: the line.
    pub line: Option<LineHit>,
}

/// A line that matches, with its number and what is shown of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineHit {
    /// Which line of the file, counted from 1.
    pub number: u64,
    /// The line without its end, or the part of a long one around the first match.
    pub text: String,
    /// Where in `text` the matches are, in bytes; empty if the line is not UTF-8.
    pub spans: Vec<Range<usize>>,
    /// Whether `text` is only a part of the line.
    pub cut: bool,
}
