//! What a scan reports: the kind and the position, never the value.
//!
//! Callers show it to people; the scanner creates it from matches.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;

/// One secret or piece of personal data, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which secret or personal data it is.
    pub kind: FindingKind,
    /// Its bytes in the text, on character boundaries.
    pub range: Range<usize>,
    /// The line it begins in, from 1.
    pub line: usize,
    /// The character of that line it begins at, from 1.
    pub column: usize,
}

/// Adds line and column to each match, in one walk; the matches must be in order.
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
