//! Precision and recall of the anonymiser on `eval/anonymise`: floors that a change must not go below.
//!
//! `cargo xtask eval anonymise` prints the same figures for each kind.

use hobnob_secrets::{Anonymiser, AnonymiserKey, KnownNames};

use crate::figures::{self, Figures, Tally};
use crate::labelled;

fn measured(file: &str, lines: &str) -> Figures {
    let anonymiser = Anonymiser::new(AnonymiserKey::new(&[7; 32]), KnownNames::default());
    let find = |text: &str| {
        anonymiser.hidden(text).into_iter().map(|span| (span.label, span.range)).collect()
    };
    figures::measure(&labelled::read(file, lines).unwrap(), find)
}

/// At most so many labels may be missed, and so many finds be wrong.
fn check(file: &str, lines: &str, missed_limit: usize, wrong_limit: usize) {
    let figures = measured(file, lines);
    let Tally { missed, wrong, .. } = figures.overall();
    let report = figures.problems.join("\n");
    assert!(missed <= missed_limit && wrong <= wrong_limit, "{missed}, {wrong}:\n{report}");
}

#[test]
fn lines_for_tuning() {
    check("tuning", include_str!("../../../../eval/anonymise/tuning.txt"), 75, 3);
}

#[test]
fn held_out_lines() {
    check("held_out", include_str!("../../../../eval/anonymise/held_out.txt"), 33, 4);
}
