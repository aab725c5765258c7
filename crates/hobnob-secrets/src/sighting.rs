//! What a rule believes to have seen, and how sightings that overlap become one.

use std::ops::Range;

use crate::kind::Kind;

/// A kind and its bytes in the text, on character boundaries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

impl Sighting {
    pub(crate) fn new(kind: Kind, range: Range<usize>) -> Self {
        Self { kind, range }
    }
}

/// Sorted and free of overlaps.
///
/// Overlapping sightings become one that covers them all, so that no rest of a value stays behind.
/// It has the kind that says most, and among equals that of the longest.
pub(crate) fn settle(mut sightings: Vec<Sighting>) -> Vec<Sighting> {
    sightings.sort_by_key(|it| (it.range.start, it.range.end));
    let mut settled: Vec<Sighting> = Vec::with_capacity(sightings.len());
    let mut decisive = (crate::kind::Weight::Personal, 0);
    for next in sightings {
        let says = (next.kind.weight(), next.range.len());
        match settled.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
                if decisive < says {
                    last.kind = next.kind;
                    decisive = says;
                }
            }
            _ => {
                settled.push(next);
                decisive = says;
            }
        }
    }
    settled
}
