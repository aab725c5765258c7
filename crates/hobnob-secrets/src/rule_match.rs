//! What one rule matched, and how overlapping matches become one.
//!
//! All rules return it; the scanner merges and reports.

use std::ops::Range;

use crate::kind::FindingKind;

/// A rule: reads a bounded stretch around the trigger word that was found.
pub(crate) type Rule = fn(&str, Range<usize>) -> Option<RuleMatch>;

/// How much speaks for a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// Only its position: enough to hide it in a log, too little to warn a person.
    Likely,
    /// Its form as well.
    Certain,
}

/// A kind and its bytes in the text, on character boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RuleMatch {
    pub(crate) kind: FindingKind,
    pub(crate) range: Range<usize>,
    pub(crate) certainty: Certainty,
}

impl RuleMatch {
    pub(crate) fn new(kind: FindingKind, range: Range<usize>) -> Self {
        Self { kind, range, certainty: Certainty::Certain }
    }

    pub(crate) fn likely(kind: FindingKind, range: Range<usize>) -> Self {
        Self { kind, range, certainty: Certainty::Likely }
    }
}

/// Sorts the matches and merges those that overlap.
///
/// Overlapping matches become one that covers them all, so that no part of a value stays behind.
/// It has the most specific kind, and among equals that of the longest.
pub(crate) fn merge_overlaps(mut matches: Vec<RuleMatch>) -> Vec<RuleMatch> {
    matches.sort_by_key(|it| (it.range.start, it.range.end));
    let mut merged: Vec<RuleMatch> = Vec::with_capacity(matches.len());
    let mut best = (crate::kind::Specificity::Personal, 0);
    for next in matches {
        let rank = (next.kind.specificity(), next.range.len());
        match merged.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
                if best < rank {
                    last.kind = next.kind;
                    best = rank;
                }
            }
            _ => {
                merged.push(next);
                best = rank;
            }
        }
    }
    merged
}
