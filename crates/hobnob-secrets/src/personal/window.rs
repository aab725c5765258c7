//! A window: consecutive groups of digits with separators between, as people write long numbers.
//!
//! `digits` slides windows over runs of groups; the rules for cards, phones and identity numbers
//! ask a window for its digits, its separators, and whether the number ends at the window's end.

use std::ops::Range;

use crate::text::{byte, byte_before, digit, slice, word};

/// The number of digits of the shortest number that any rule looks for.
pub(super) const MIN_DIGITS: usize = 8;
/// The numbers of digits that any rule looks for.
const DIGIT_COUNTS: std::ops::RangeInclusive<usize> = MIN_DIGITS..=19;
/// Maximum number of groups in which a number is written.
const MAX_GROUPS: usize = 8;

/// The windows that begin with a group and have a permitted number of digits.
pub(super) fn windows<'text>(
    text: &'text str,
    groups: &'text [Range<usize>],
    from: usize,
) -> Vec<Window<'text>> {
    let mut count = 0;
    let ends = from + 1..=groups.len().min(from + MAX_GROUPS);
    let counted = ends.map(|to| {
        count += groups[to - 1].len();
        Window { text, groups, from, to, count }
    });
    counted.filter(|it| DIGIT_COUNTS.contains(&it.count)).collect()
}

/// Some consecutive groups of a run.
pub(crate) struct Window<'text> {
    pub(crate) text: &'text str,
    groups: &'text [Range<usize>],
    from: usize,
    to: usize,
    /// The total number of digits.
    pub(crate) count: usize,
}

impl Window<'_> {
    /// The index after its last group in the run.
    pub(super) fn end(&self) -> usize {
        self.to
    }

    pub(crate) fn groups(&self) -> &[Range<usize>] {
        &self.groups[self.from..self.to]
    }

    /// The digits without the separators.
    pub(crate) fn digits(&self) -> String {
        self.groups().iter().map(|it| slice(self.text, it.clone())).collect()
    }

    /// The number of digits of each group.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        self.groups().iter().map(Range::len).collect()
    }

    /// The separators in order, with all kinds of spaces and dashes as the plain ones.
    pub(crate) fn separators(&self) -> Vec<String> {
        let between = |pair: &[Range<usize>]| plain(slice(self.text, pair[0].end..pair[1].start));
        self.groups().windows(2).map(between).collect()
    }

    /// The separator, if all are the same single character.
    pub(crate) fn only_separator(&self) -> Option<char> {
        let separators = self.separators();
        let first = separators.first()?;
        let mut characters = first.chars();
        let sign = characters.next()?;
        (characters.next().is_none() && separators.iter().all(|it| it == first)).then_some(sign)
    }

    /// Whether the run continues before or after it with the same separator.
    pub(crate) fn is_cut_out(&self) -> bool {
        let sign = self.only_separator().map(String::from);
        let beside = |left: usize, right: usize| {
            Some(plain(slice(self.text, self.groups[left].end..self.groups[right].start))) == sign
        };
        let before = 0 < self.from && beside(self.from - 1, self.from);
        before || (self.to < self.groups.len() && beside(self.to - 1, self.to))
    }

    /// The byte range from its first to its last group.
    pub(crate) fn range(&self) -> Range<usize> {
        let groups = self.groups();
        let start = groups.first().map_or(0, |it| it.start);
        start..groups.last().map_or(start, |it| it.end)
    }

    /// Whether the number neither continues nor belongs to other text on either side of `range`.
    pub(crate) fn is_free(&self, range: &Range<usize>) -> bool {
        let joined = |left: usize, right: usize| {
            let sign = plain(slice(self.text, self.groups[left].end..self.groups[right].start));
            matches!(sign.as_str(), "-" | "." | "/")
        };
        let free_before = self.from == 0 || !joined(self.from - 1, self.from);
        let free_after = self.to == self.groups.len() || !joined(self.to - 1, self.to);
        free_before && free_after && starts(self.text, range.start) && ends(self.text, range.end)
    }
}

pub(super) fn is_separator(character: char) -> bool {
    matches!(
        character,
        ' ' | '-' | '.' | '/' | '(' | ')' | '\u{a0}' | '\u{202f}' | '\u{2011}' | '\u{2013}'
    )
}

fn plain(sign: &str) -> String {
    let plain = |it| match it {
        '\u{a0}' | '\u{202f}' => ' ',
        '\u{2011}' | '\u{2013}' => '-',
        other => other,
    };
    sign.chars().map(plain).collect()
}

/// Whether a number may start at this position.
fn starts(text: &str, at: usize) -> bool {
    let Some(last) = byte_before(text, at) else { return true };
    let before_last = byte_before(text, at - 1);
    match last {
        b'-' => !before_last.is_some_and(word),
        b':' | b'.' => before_last.is_none_or(|it| !digit(it) && it != b'.'),
        b'/' | b'\\' | b'#' | b'$' | b'%' | b'@' | b'^' | b'_' | b'+' => false,
        other => !other.is_ascii_alphanumeric() && !text[..at].ends_with(['€', '£', '¥', '№']),
    }
}

/// Whether a number may end at this position.
fn ends(text: &str, at: usize) -> bool {
    let Some(next) = byte(text, at) else { return true };
    let after_next = byte(text, at + 1);
    match next {
        b'-' | b'.' | b'/' => !after_next.is_some_and(|it| it.is_ascii_alphanumeric()),
        b':' | b',' => !after_next.is_some_and(digit),
        b'%' | b'$' | b'@' | b'_' | b'+' => false,
        other => !other.is_ascii_alphanumeric() && !text[at..].starts_with(['€', '£', '¥', '°']),
    }
}
