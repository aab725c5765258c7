//! The walk over the digits: runs of groups with signs between, and windows of groups within them.

use std::ops::Range;

use crate::sighting::Sighting;
use crate::text::{byte, byte_before, digit, run_end, slice};

use super::{card, iban, national, phone};

/// A rule about a few groups of digits.
type WindowRule = fn(&Window<'_>) -> Option<Sighting>;
/// A rule about one group of digits and the letters around it.
type GroupRule = fn(&str, &Range<usize>) -> Option<Sighting>;

const WINDOW_RULES: [WindowRule; 7] = [
    card::find,
    phone::find,
    national::find_us,
    national::find_german,
    national::find_french,
    national::find_swiss,
    national::find_brazilian,
];
const GROUP_RULES: [GroupRule; 4] =
    [iban::find, national::find_british, national::find_spanish, national::find_italian];

/// The fewest and the most digits of anything that is looked for.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=19;
/// The most groups that a number is written in.
const GROUPS: usize = 8;
/// The longest sign between two groups, in bytes.
const SIGN: usize = 4;

/// Hands every group, and every window of groups, to the rules about them.
pub(crate) fn run(text: &str, note: &mut impl FnMut(Sighting)) {
    let mut groups = Vec::new();
    let mut at = 0;
    while let Some(next) = text.as_bytes()[at..].iter().position(u8::is_ascii_digit) {
        read_run(text, at + next, &mut groups);
        let sightings = groups.iter().flat_map(|it| GROUP_RULES.map(|rule| rule(text, it)));
        sightings.flatten().for_each(&mut *note);
        judge(text, &groups, note);
        at = groups.last().map_or(text.len(), |last| last.end);
    }
}

/// The groups from the digit at `start` on that only signs of numbers are between.
fn read_run(text: &str, start: usize, groups: &mut Vec<Range<usize>>) {
    groups.clear();
    let mut at = start;
    loop {
        let end = run_end(text, at, digit, text.len());
        groups.push(at..end);
        let sign = text[end..].chars().take(SIGN).take_while(|it| is_sign(*it));
        let length: usize = sign.map(char::len_utf8).sum();
        at = end + length;
        if length == 0 || SIGN < length || !byte(text, at).is_some_and(digit) {
            return;
        }
    }
}

/// Hands each rule the longest windows that satisfy it, from left to right.
fn judge(text: &str, groups: &[Range<usize>], note: &mut impl FnMut(Sighting)) {
    let mut free_from = [0; WINDOW_RULES.len()];
    for from in 0..groups.len() {
        let mut windows = windows(text, groups, from);
        windows.reverse();
        for (rule, free_from) in WINDOW_RULES.iter().zip(&mut free_from) {
            let open = windows.iter().filter(|_| *free_from <= from);
            let found = open.filter_map(|window| Some((window.to, rule(window)?))).next();
            if let Some((to, sighting)) = found {
                note(sighting);
                *free_from = to;
            }
        }
    }
}

/// The windows that begin with a group and have as many digits as what is looked for.
fn windows<'text>(
    text: &'text str,
    groups: &'text [Range<usize>],
    from: usize,
) -> Vec<Window<'text>> {
    let mut count = 0;
    let ends = from + 1..=groups.len().min(from + GROUPS);
    let counted = ends.map(|to| {
        count += groups[to - 1].len();
        Window { text, groups, from, to, count }
    });
    counted.filter(|it| DIGITS.contains(&it.count)).collect()
}

/// Some groups of a run.
pub(crate) struct Window<'text> {
    pub(crate) text: &'text str,
    groups: &'text [Range<usize>],
    from: usize,
    to: usize,
    /// How many digits there are.
    pub(crate) count: usize,
}

impl Window<'_> {
    pub(crate) fn groups(&self) -> &[Range<usize>] {
        &self.groups[self.from..self.to]
    }

    /// The digits without what is between them.
    pub(crate) fn digits(&self) -> String {
        self.groups().iter().map(|it| slice(self.text, it.clone())).collect()
    }

    /// How many digits each group has.
    pub(crate) fn lengths(&self) -> Vec<usize> {
        self.groups().iter().map(Range::len).collect()
    }

    /// What stands between the groups, in order; kinds of spaces and dashes are the plain ones.
    pub(crate) fn signs(&self) -> Vec<String> {
        let between = |pair: &[Range<usize>]| plain(slice(self.text, pair[0].end..pair[1].start));
        self.groups().windows(2).map(between).collect()
    }

    /// The sign between all groups, if it is everywhere the same single character.
    pub(crate) fn only_sign(&self) -> Option<char> {
        let signs = self.signs();
        let first = signs.first()?;
        let mut characters = first.chars();
        let sign = characters.next()?;
        (characters.next().is_none() && signs.iter().all(|it| it == first)).then_some(sign)
    }

    /// Whether more groups follow or precede with the sign that is between all of these.
    pub(crate) fn is_cut_out(&self) -> bool {
        let sign = self.only_sign().map(String::from);
        let beside = |left: usize, right: usize| {
            Some(plain(slice(self.text, self.groups[left].end..self.groups[right].start))) == sign
        };
        let before = 0 < self.from && beside(self.from - 1, self.from);
        before || (self.to < self.groups.len() && beside(self.to - 1, self.to))
    }

    /// The bytes of the groups and what is between them.
    pub(crate) fn range(&self) -> Range<usize> {
        let groups = self.groups();
        let start = groups.first().map_or(0, |it| it.start);
        start..groups.last().map_or(start, |it| it.end)
    }

    /// Whether the number neither goes on nor belongs to something else on either side of `range`.
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

fn is_sign(character: char) -> bool {
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

/// Whether a number may start here.
fn starts(text: &str, at: usize) -> bool {
    let Some(last) = byte_before(text, at) else { return true };
    let before_last = byte_before(text, at - 1);
    match last {
        b'-' => !before_last.is_some_and(|it| it.is_ascii_alphanumeric()),
        b':' | b'.' => before_last.is_none_or(|it| !digit(it) && it != b'.'),
        b'/' | b'\\' | b'#' | b'$' | b'%' | b'@' | b'^' | b'_' | b'+' => false,
        other => !other.is_ascii_alphanumeric() && !text[..at].ends_with(['€', '£', '¥', '№']),
    }
}

/// Whether a number may end here.
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
