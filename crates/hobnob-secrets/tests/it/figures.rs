//! Precision and recall on labelled lines: a find is correct if label and range are.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::labelled::{Case, Expected};

/// The label and the range of a find.
pub(crate) type Found = (&'static str, Range<usize>);

/// Correct finds, labels without a find, and finds without a label.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) right: usize,
    pub(crate) missed: usize,
    pub(crate) wrong: usize,
}

impl Tally {
    /// The share of the finds that are correct; 1 if there are none.
    pub(crate) fn precision(&self) -> f64 {
        ratio(self.right, self.right + self.wrong)
    }

    /// The share of the labels that were found; 1 if there are none.
    pub(crate) fn recall(&self) -> f64 {
        ratio(self.right, self.right + self.missed)
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), |sum, it| Self {
            right: sum.right + it.right,
            missed: sum.missed + it.missed,
            wrong: sum.wrong + it.wrong,
        })
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// The results over many cases.
#[derive(Default)]
pub(crate) struct Figures {
    /// The tally of each label.
    pub(crate) tallies: BTreeMap<String, Tally>,
    /// Labelled values with at least one byte that was not found.
    pub(crate) shown: usize,
    /// One line for each miss and each wrong find.
    pub(crate) problems: Vec<String>,
}

impl Figures {
    pub(crate) fn overall(&self) -> Tally {
        self.tallies.values().copied().sum()
    }

    fn miss(&mut self, case: &Case, expected: &Expected) {
        let Expected { label, range } = expected;
        let value = &case.text[range.clone()];
        self.problems.push(format!("missed {}: {label} {value:?}", case.place));
        self.tally(label).missed += 1;
    }

    fn tally(&mut self, label: &str) -> &mut Tally {
        self.tallies.entry(label.to_owned()).or_default()
    }
}

/// Compares the finds of `find` in each case with its labels.
pub(crate) fn measure(cases: &[Case], find: impl Fn(&str) -> Vec<Found>) -> Figures {
    let mut figures = Figures::default();
    for case in cases {
        let mut found = find(&case.text);
        for expected in &case.expected {
            let range = &expected.range;
            let covered =
                range.clone().all(|at| found.iter().any(|(_, found)| found.contains(&at)));
            figures.shown += usize::from(!covered);
        }
        for expected in &case.expected {
            let same =
                |(label, range): &Found| *label == expected.label && *range == expected.range;
            match found.iter().position(same) {
                Some(at) => {
                    found.remove(at);
                    figures.tally(&expected.label).right += 1;
                }
                None => figures.miss(case, expected),
            }
        }
        for (label, range) in found {
            let value = &case.text[range];
            figures.problems.push(format!("wrong  {}: {label} {value:?}", case.place));
            figures.tally(label).wrong += 1;
        }
    }
    figures
}
