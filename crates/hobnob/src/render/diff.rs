//! Unified diffs, for `import` and `approve`.

use super::safe::safe;
use super::tone::{Tone, paint};
use similar::TextDiff;

/// Unchanged lines that are shown around a change.
const AROUND: usize = 3;

/// The unified diff of two texts, made safe; empty if they are equal.
pub(crate) fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    let (old, new) = (format!("{name} (before)"), format!("{name} (after)"));
    safe(&diff.unified_diff().context_radius(AROUND).header(&old, &new).to_string()).into_owned()
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
