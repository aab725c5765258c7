//! The result of a scan: the kind and the position of each finding, never the value.
//!
//! Callers show findings to people; the scanner creates them from matches.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;

/// A secret or a piece of personal data, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of secret or personal data.
    pub kind: FindingKind,
    /// Its byte range in the text, on character boundaries.
    pub range: Range<usize>,
    /// The line in which it begins, counted from 1.
    pub line: usize,
    /// The column in which it begins, in characters, counted from 1.
    pub column: usize,
}

/// Adds line and column to each match in one pass; the matches must be sorted.
pub(crate) fn locate(text: &str, matches: Vec<RuleMatch>) -> Vec<Finding> {
    let mut place = Place { at: 0, line: 1, column: 1 };
    let locate = |RuleMatch { kind, range, .. }| {
        place.advance(text, range.start);
        Finding { kind, range, line: place.line, column: place.column }
    };
    matches.into_iter().map(locate).collect()
}

struct Place {
    at: usize,
    line: usize,
    column: usize,
}

impl Place {
    fn advance(&mut self, text: &str, to: usize) {
        let passed = &text[self.at..to];
        let last_line = match passed.rfind('\n') {
            None => passed,
            Some(end) => {
                self.line += passed.matches('\n').count();
                self.column = 1;
                &passed[end + 1..]
            }
        };
        self.column += last_line.chars().count();
        self.at = to;
    }
}
