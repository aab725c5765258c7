//! Phone numbers: international ones by calling code, national ones by their notation.
//!
//! A window rule of `digits`; cue words before the number decide unclear cases.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::byte_before;

use super::calling_code;
use super::cue::{Cue, cue};
use super::window::Window;

/// Matches a phone number that consists of these groups.
pub(crate) fn find(window: &Window<'_>) -> Option<RuleMatch> {
    let digits = window.range();
    let range = opened(window, digits.start)..digits.end;
    let plus = window.text[range.start..digits.start].contains('+');
    if !window.is_free(&range) {
        return None;
    }
    let found = if plus { is_international(window) } else { is_national(window, range.start) };
    found.then(|| RuleMatch::new(FindingKind::Phone, range))
}

/// The start of the number including a plus sign and a bracket that is closed inside it.
fn opened(window: &Window<'_>, digits: usize) -> usize {
    let start = digits - usize::from(byte_before(window.text, digits) == Some(b'+'));
    let bracket = byte_before(window.text, start) == Some(b'(');
    let closed = || window.separators().iter().any(|it| it.contains(')'));
    start - usize::from(bracket && closed())
}

fn is_international(window: &Window<'_>) -> bool {
    let whole = window.groups().last().is_some_and(|it| 1 < it.len());
    whole && calling_code::is_number(&without_trunk(window))
}

/// The digits without a trunk prefix in brackets, the `(0)` that is dialled only within a country.
fn without_trunk(window: &Window<'_>) -> String {
    let groups = window.groups();
    let trunk = |it: &&Range<usize>| {
        it.len() == 1
            && window.text[..it.end].ends_with("(0")
            && window.text[it.end..].starts_with(')')
    };
    groups.iter().filter(|it| !trunk(it)).map(|it| &window.text[it.clone()]).collect()
}

fn is_national(window: &Window<'_>, start: usize) -> bool {
    let digits = window.digits();
    let lengths = window.lengths();
    let signs = window.separators();
    let signs: Vec<&str> = signs.iter().map(String::as_str).collect();
    let number = WrittenNumber { digits: &digits, lengths: &lengths, signs: &signs };
    if number.is_date() || !number.is_dialable() || window.is_cut_out() {
        return false;
    }
    match cue(window.text, start) {
        Some(Cue::Phone) => true,
        Some(Cue::Other) => number.is_bracketed(),
        _ => number.is_typical(),
    }
}

/// A number without a plus sign, with its notation.
struct WrittenNumber<'number> {
    digits: &'number str,
    lengths: &'number [usize],
    signs: &'number [&'number str],
}

impl WrittenNumber<'_> {
    /// Whether the notation is one that only phone numbers have.
    fn is_typical(&self) -> bool {
        self.is_bracketed() || self.is_north_american() || self.is_with_zero() || self.is_foreign()
    }

    /// Whether the number can be dialled; enough if a cue word says that it is a phone number.
    fn is_dialable(&self) -> bool {
        let count = self.digits.len();
        let foreign = self.digits.strip_prefix("00").is_some_and(calling_code::is_number);
        let moment =
            self.lengths.len() == 1 && self.digits.starts_with('1') && matches!(count, 10 | 13);
        foreign || self.is_typical() || ((9..=13).contains(&count) && !moment)
    }

    fn is_date(&self) -> bool {
        let same = self.signs.windows(2).all(|pair| pair[0] == pair[1]);
        same && matches!(self.lengths, [4, 2, 2] | [2, 2, 4] | [4, 2, 2, 2] | [4, 2, 2, 2, 2])
            || self.lengths.first() == Some(&8) && self.digits.starts_with("20")
    }

    /// `(415) 555-2671`, `(030) 1234567`, `(11) 98765-4321`, `8 (495) 123-45-67`.
    fn is_bracketed(&self) -> bool {
        let closes =
            |sign: Option<&&str>| sign.is_some_and(|it| it.starts_with(')') && it.len() <= 2);
        let dashed = |signs: &[&str]| signs.iter().all(|it| *it == "-" || *it == " ");
        match self.lengths {
            [3, 3, 4] => closes(self.signs.first()) && self.is_area(0),
            [1, 3, 3, 4] => closes(self.signs.get(1)) && self.is_area(1),
            [2, 4 | 5, 4] => closes(self.signs.first()) && dashed(&self.signs[1..]),
            [1, 3, 3, 2, 2] => closes(self.signs.get(1)) && dashed(&self.signs[2..]),
            [3..=5, ..] => {
                let tail = self.signs.get(1..).unwrap_or_default();
                closes(self.signs.first()) && dashed(tail) && self.has_zero()
            }
            _ => false,
        }
    }

    /// North American: `415-555-2671`, `1-800-555-2671`; with spaces only it may be a table.
    fn is_north_american(&self) -> bool {
        let (lengths, area) = match self.lengths {
            [1, rest @ ..] if self.digits.starts_with('1') => (rest, 1),
            all => (all, 0),
        };
        let signs = &self.signs[self.signs.len().saturating_sub(2)..];
        let written = matches!(signs, ["-", "-"] | [".", "."] | [" ", "-"]);
        lengths == [3, 3, 4] && written && self.is_area(area)
    }

    /// North American area codes begin with 2 or more.
    fn is_area(&self, at: usize) -> bool {
        self.digits.as_bytes().get(at).is_some_and(|digit| b'2' <= *digit)
    }

    /// With the trunk prefix 0 of most countries: `030 12345678`, `06 12 34 56 78`.
    fn is_with_zero(&self) -> bool {
        let all = |signs: &[&str]| self.signs.iter().all(|it| signs.contains(it));
        let slashes = self.signs.iter().filter(|it| **it == "/").count();
        let grouped = match self.lengths {
            [2, 2, 2, 2, 2] => !self.is_counting() && (all(&[" "]) || all(&["."]) || all(&["-"])),
            [2, 8] | [2, 4, 4] => all(&[" ", "-"]),
            // In other notations these are postal codes and code points.
            [5, 4] | [4, 4, 4] | [3, 3, 3] => false,
            [3..=5, rest @ ..] => {
                let parts = (1..=4).contains(&rest.len()) && rest.iter().all(|it| 2 <= *it);
                parts && slashes <= 1 && all(&[" ", "-", "/", " / "])
            }
            _ => false,
        };
        grouped && self.has_zero()
    }

    fn has_zero(&self) -> bool {
        let bytes = self.digits.as_bytes();
        let trunk = bytes[0] == b'0' && bytes[1] != b'0';
        trunk && (9..=12).contains(&bytes.len())
    }

    /// Chinese mobile or dialled internationally: `138-0013-8000`, `0049 30 1234567`.
    fn is_foreign(&self) -> bool {
        let chinese = self.lengths == [3, 4, 4] && self.signs == ["-", "-"];
        let mobile = self.digits.starts_with('1') && self.digits.as_bytes()[1] >= b'3';
        let abroad = self.digits.strip_prefix("00").is_some_and(calling_code::is_number);
        let dialled = 2 < self.lengths.len() && 2 < self.lengths[0] && self.lengths != [4, 4, 4];
        let spaced = self.signs.iter().all(|it| matches!(*it, " " | "-" | "/"));
        (chinese && mobile) || (abroad && dialled && spaced)
    }

    /// Consecutive pairs such as `01 02 03 04 05`, which are a list.
    fn is_counting(&self) -> bool {
        let pairs = self.digits.as_bytes().chunks(2).map(|it| (it[0] - b'0') * 10 + it[1] - b'0');
        let pairs: Vec<u8> = pairs.collect();
        pairs.windows(2).all(|it| it[0] + 1 == it[1])
    }
}
