//! What a change of a file would do, as people know it from version control.

use super::safe::safe;
use super::tone::{Tone, paint};
use similar::TextDiff;

/// Lines around a change.
const AROUND: usize = 3;

/// The difference of two texts, made safe and coloured; empty if there is none.
pub(crate) fn unified(name: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    let (old, new) = (format!("{name} (now)"), format!("{name} (then)"));
    let text = diff.unified_diff().context_radius(AROUND).header(&old, &new).to_string();
    let mut shown = String::with_capacity(text.len());
    for line in text.lines() {
        let tone = match line.bytes().next() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            Some(b'@') => Tone::Dim,
            _ => Tone::Plain,
        };
        shown.push_str(&paint(tone, &safe(line)));
        shown.push('\n');
    }
    shown
}
