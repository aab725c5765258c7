//! Labelled lines: a text, and what must be found where in it.
//!
//! The tests read the corpus of the scanner with it, and the example `eval_anonymise` the lines of
//! `eval/anonymise`.

use std::ops::Range;

use fastrand::Rng;

use crate::template;

/// A labelled line: the text with the expected finds.
pub(crate) struct Case {
    /// The file and the line, to name the case.
    pub(crate) place: String,
    pub(crate) text: String,
    pub(crate) expected: Vec<Expected>,
}

/// A value that must be found.
pub(crate) struct Expected {
    pub(crate) label: String,
    pub(crate) range: Range<usize>,
}

/// The cases of a file, without empty lines and lines that begin with `%%`. Fails at a mark that is
/// not closed or has no label.
pub(crate) fn read(file: &str, lines: &str) -> Result<Vec<Case>, String> {
    let cases = lines.lines().enumerate().filter(|(_, it)| !it.is_empty() && !it.starts_with("%%"));
    cases.map(|(at, line)| case(format!("{file}:{}", at + 1), line, at)).collect()
}

fn case(place: String, line: &str, seed: usize) -> Result<Case, String> {
    let mut random = Rng::with_seed(seed as u64);
    let line = line.replace('¦', "").replace('⏎', "\n").replace('⇥', "\t");
    let filled = template::fill(&line, &mut random);
    let (mut text, mut expected) = (String::new(), Vec::new());
    let mut rest = filled.as_str();
    while let Some((before, marked)) = rest.split_once('⟦') {
        let mark = marked.split_once('⟧').and_then(|(mark, after)| {
            let (label, value) = mark.split_once('|')?;
            Some((label, value, after))
        });
        let (label, value, after) = mark.ok_or_else(|| format!("{place}: a mark is broken"))?;
        text.push_str(before);
        let start = text.len();
        text.push_str(value);
        expected.push(Expected { label: label.to_owned(), range: start..text.len() });
        rest = after;
    }
    text.push_str(rest);
    Ok(Case { place, text, expected })
}
