//! The match of a rule, and the merging of overlapping matches.
//!
//! All rules return matches; the scanner merges and reports them.

use std::ops::Range;

use crate::kind::FindingKind;

/// A rule: reads a bounded part of the text around its trigger word.
pub(crate) type Rule = fn(&str, Range<usize>) -> Option<RuleMatch>;

/// How certain a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Certainty {
    /// Only the position suggests it: enough to hide it in a log, too little to warn a person.
    Likely,
    /// The form confirms it as well.
    Certain,
}

/// A kind and its byte range in the text, on character boundaries.
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

/// Sorts the matches and merges overlapping ones.
///
/// Overlapping matches become one that covers them all, so that no part of a value stays behind. It
/// gets the most specific kind; on a tie that of the longest match.
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
