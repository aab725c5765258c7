//! What differs between two texts, line by line, for `import` and `approve`.
//!
//! Calls the algorithm itself rather than `TextDiff`, which brings five more of them, each compiled
//! for every way of recording what it finds: two megabytes, unoptimised, that nothing here uses.

use super::safe::safe;
use super::tone::{Tone, paint};
use similar::algorithms::{Capture, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag, group_diff_ops};
use std::fmt::Write as _;

/// Unchanged lines that are shown around a change.
const AROUND: usize = 3;

/// The lines of two texts, and which of them differ.
struct ComparedLines<'t> {
    before: Vec<&'t str>,
    after: Vec<&'t str>,
    operations: Vec<DiffOp>,
}

impl<'t> ComparedLines<'t> {
    fn new(before: &'t str, after: &'t str) -> Self {
        let before: Vec<&str> = before.split_inclusive('\n').collect();
        let after: Vec<&str> = after.split_inclusive('\n').collect();
        let mut recorded = Replace::new(Capture::new());
        let Ok(()) = myers::diff(
            &mut recorded,
            before.as_slice(),
            0..before.len(),
            after.as_slice(),
            0..after.len(),
        );
        Self { before, after, operations: recorded.into_inner().into_ops() }
    }

    /// The lines that these operations are about, each behind `-`, `+` or a space.
    fn signed(&self, operations: &[DiffOp]) -> Vec<(char, &'t str)> {
        let mut lines = Vec::new();
        for operation in operations {
            let (tag, old, new) = operation.as_tag_tuple();
            let old = self.before.get(old).unwrap_or_default().iter();
            let new = self.after.get(new).unwrap_or_default().iter();
            if tag == DiffTag::Equal {
                lines.extend(old.map(|line| (' ', *line)));
            } else {
                lines.extend(old.map(|line| ('-', *line)));
                lines.extend(new.map(|line| ('+', *line)));
            }
        }
        lines
    }
}

/// Every line of both texts once, behind `-` if it is gone, `+` if it is new, else a space.
pub(crate) fn signed_lines<'t>(before: &'t str, after: &'t str) -> Vec<(char, &'t str)> {
    let compared = ComparedLines::new(before, after);
    compared.signed(&compared.operations)
}

/// The unified diff of two texts, made safe; empty if they are equal.
pub(crate) fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let compared = ComparedLines::new(before, after);
    let mut text = format!("--- {name} (before)\n+++ {name} (after)\n");
    for hunk in group_diff_ops(compared.operations.clone(), AROUND) {
        // Writing to a string never fails.
        let _ = writeln!(text, "{}", UnifiedHunkHeader::new(&hunk));
        for (sign, line) in compared.signed(&hunk) {
            text.push(sign);
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    safe(&text).into_owned()
}

/// The diff in colours, if standard output has colours.
pub(crate) fn painted(diff: &str) -> String {
    let mut shown = String::with_capacity(diff.len());
    for line in diff.lines() {
        let tone = match line.bytes().next() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            Some(b'@') => Tone::Dim,
            _ => Tone::Plain,
        };
        shown.push_str(&paint(tone, line));
        shown.push('\n');
    }
    shown
}
