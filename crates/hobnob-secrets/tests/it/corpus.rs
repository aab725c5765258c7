//! The labelled corpus of the scanner.

use crate::labelled::{Case, read};

pub(crate) fn positives() -> Vec<Case> {
    read("positives", include_str!("corpus/positives.txt")).unwrap()
}

pub(crate) fn negatives() -> Vec<Case> {
    read("negatives", include_str!("corpus/negatives.txt")).unwrap()
}

pub(crate) fn held_out() -> Vec<Case> {
    read("held_out", include_str!("corpus/held_out.txt")).unwrap()
}
