//! Precision and recall of the anonymiser on `eval/anonymise`, with limits that must hold.
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

/// Fails if more labels are missed, or more finds are wrong, than the limits allow.
fn check(figures: &Figures, (missed_limit, wrong_limit): (usize, usize), report: &str) {
    let Tally { missed, wrong, .. } = figures.overall();
    let held = missed <= missed_limit && wrong <= wrong_limit;
    assert!(held, "{missed} missed, {wrong} wrong\n{report}");
}

#[test]
fn lines_for_tuning() {
    let figures = measured("tuning", include_str!("../../../../eval/anonymise/tuning.txt"));
    check(&figures, (5, 2), &figures.problems.join("\n"));
}

/// Failures are not listed, so that the detectors are not tuned to them.
#[test]
fn held_out_lines() {
    let figures = measured("held_out", include_str!("../../../../eval/anonymise/held_out.txt"));
    check(&figures, (8, 2), "`cargo xtask eval anonymise` has the figures for each kind");
}
