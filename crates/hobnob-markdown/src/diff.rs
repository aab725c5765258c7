//! Line diffs of two texts: for edits that a model makes, `import`, `connect` and `approve`.
//!
//! It calls the Myers algorithm itself rather than `TextDiff`, which brings five more algorithms,
//! each compiled for every way of recording its result: two unused megabytes, unoptimised.

use std::fmt::Write as _;

use hobnob_text::display_safe;
use similar::algorithms::{Capture, DiffHook, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag, group_diff_ops};

use crate::highlight::diff_hue;
use crate::painter::painted;
use crate::style::{Colour, Ink, Style};

/// Unchanged lines that are shown around a change.
const CONTEXT_LINES: usize = 3;
/// Maximum number of pairs of lines to compare. The time grows with the number of pairs, so a
/// larger change is shown as all old lines and then all new ones.
const MAX_PAIRS: usize = 100_000_000;

/// The unified diff of two texts, made safe and coloured; empty if they are equal.
#[must_use]
pub fn render_diff(name: &str, before: &str, after: &str, style: Style) -> String {
    render_unified(&unified(name, before, after), style)
}

/// Makes a unified diff safe, and colours it. Its lines are not wrapped.
#[must_use]
pub fn render_unified(diff: &str, style: Style) -> String {
    let colour = match style {
        Style::Piped => Colour::Off,
        Style::Terminal { colour, .. } => colour,
    };
    let mut shown = String::with_capacity(diff.len());
    for line in display_safe(diff).lines() {
        shown.push_str(&painted(line, Ink::of(diff_hue(line)), colour));
        shown.push('\n');
    }
    shown
}

/// The unified diff of two texts, made safe; empty if they are equal.
#[must_use]
pub fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let compared = ComparedLines::new(before, after);
    // Line breaks in a name could look like lines of the diff.
    let name = name.replace(['\n', '\t'], " ");
    let mut text = format!("--- {name} (before)\n+++ {name} (after)\n");
    for hunk in group_diff_ops(compared.operations.clone(), CONTEXT_LINES) {
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
    display_safe(&text).into_owned()
}

/// Every line of both texts once, after `-` if it was removed, `+` if it was added, else a space.
#[must_use]
pub fn signed_lines<'t>(before: &'t str, after: &'t str) -> Vec<(char, &'t str)> {
    let compared = ComparedLines::new(before, after);
    compared.signed(&compared.operations)
}

/// The lines of two texts, and their differences.
struct ComparedLines<'t> {
    before: Vec<&'t str>,
    after: Vec<&'t str>,
    operations: Vec<DiffOp>,
}

impl<'t> ComparedLines<'t> {
    fn new(before: &'t str, after: &'t str) -> Self {
        let before: Vec<&str> = before.split_inclusive('\n').collect();
        let after: Vec<&str> = after.split_inclusive('\n').collect();
        let operations = operations(&before, &after);
        Self { before, after, operations }
    }

    /// The lines of these operations, each after `-`, `+` or a space.
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

fn operations(before: &[&str], after: &[&str]) -> Vec<DiffOp> {
    let equal = |pair: &(&&str, &&str)| pair.0 == pair.1;
    let start = before.iter().zip(after).take_while(equal).count();
    let (old, new) = (&before[start..], &after[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(equal).count();
    let (old, new) = (old.len() - end, new.len() - end);
    let mut recorded = Replace::new(Capture::new());
    let Ok(()) = match old.saturating_mul(new) <= MAX_PAIRS {
        true => myers::diff(&mut recorded, before, 0..before.len(), after, 0..after.len()),
        false => recorded
            .equal(0, 0, start)
            .and_then(|()| recorded.replace(start, old, start, new))
            .and_then(|()| recorded.equal(start + old, start + new, end))
            .and_then(|()| recorded.finish()),
    };
    recorded.into_inner().into_ops()
}
