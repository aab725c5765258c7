//! Cases from a corpus file: a text, and what must be found where in it.

use std::ops::Range;

use fastrand::Rng;

use crate::template;

/// One line of a corpus file.
pub(crate) struct Case {
    /// The file and the line, to name the case.
    pub(crate) place: String,
    pub(crate) text: String,
    pub(crate) expected: Vec<Expected>,
}

/// What must be found.
pub(crate) struct Expected {
    pub(crate) label: String,
    pub(crate) range: Range<usize>,
}

pub(crate) fn positives() -> Vec<Case> {
    read("positives", include_str!("corpus/positives.txt"))
}

pub(crate) fn negatives() -> Vec<Case> {
    read("negatives", include_str!("corpus/negatives.txt"))
}

pub(crate) fn held_out() -> Vec<Case> {
    read("held_out", include_str!("corpus/held_out.txt"))
}

fn read(file: &str, lines: &str) -> Vec<Case> {
    let cases = lines.lines().enumerate().filter(|(_, it)| !it.is_empty() && !it.starts_with("%%"));
    cases.map(|(at, line)| case(format!("{file}:{}", at + 1), line, at)).collect()
}

fn case(place: String, line: &str, seed: usize) -> Case {
    let mut random = Rng::with_seed(seed as u64);
    let filled = template::fill(&line.replace('¦', "").replace('⏎', "\n"), &mut random);
    let mut text = String::new();
    let mut expected = Vec::new();
    let mut pieces = filled.split('⟦');
    text.push_str(pieces.next().unwrap());
    for piece in pieces {
        let (marked, rest) = piece.split_once('⟧').expect("a mark is closed");
        let (label, value) = marked.split_once('|').expect("a mark has a label");
        let start = text.len();
        text.push_str(value);
        expected.push(Expected { label: label.to_owned(), range: start..text.len() });
        text.push_str(rest);
    }
    Case { place, text, expected }
}
