//! Payment card numbers: grouping of the digits, issuer prefixes, and the Luhn check digit.
//!
//! A window rule of `digits`.

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;

use super::cue::{Cue, cue};
use super::window::Window;

/// The number of digits of the shortest card number.
pub(super) const MIN_DIGITS: usize = 14;

/// Matches a card number that consists of these groups.
pub(crate) fn find(window: &Window<'_>) -> Option<RuleMatch> {
    if window.count < MIN_DIGITS {
        return None;
    }
    let digits = window.digits();
    let range = window.range();
    if !is_issued(&digits) || !has_check_digit(&digits) || !window.is_free(&range) {
        return None;
    }
    let grouped = window.only_separator().is_some_and(|it| matches!(it, ' ' | '-'));
    let card = match *window.lengths() {
        [4, 4, 4, 4] => grouped && !is_series(&digits),
        [4, 6, 5] | [4, 6, 4] | [4, 4, 4, 4, 3] => grouped,
        [15 | 16] => cue(window.text, range.start) != Some(Cue::Other),
        // Numbers of these lengths are more often ids and times.
        [14 | 17..=19] => cue(window.text, range.start) == Some(Cue::Card),
        _ => false,
    };
    card.then(|| RuleMatch::new(FindingKind::PaymentCard, range))
}

/// Whether the groups ascend in small steps, as in a table.
fn is_series(digits: &str) -> bool {
    let groups: Vec<u16> =
        [0, 4, 8, 12].iter().filter_map(|at| digits[*at..at + 4].parse().ok()).collect();
    groups.windows(2).all(|pair| pair[0] < pair[1] && pair[1] - pair[0] < 100)
}

/// Whether an issuer uses this prefix and this length.
fn is_issued(digits: &str) -> bool {
    let Ok(head) = digits[..4].parse::<u16>() else { return false };
    matches!(
        (digits.len(), head),
        (16 | 19, 4000..=4999)
            | (16, 5100..=5599 | 2221..=2720)
            | (15, 3400..=3499 | 3700..=3799)
            | (14, 3000..=3059 | 3600..=3699 | 3800..=3999)
            | (16..=19, 6011 | 6440..=6599 | 3528..=3589 | 6200..=6299)
            | (16..=19, 5018 | 5020 | 5038 | 5893 | 6304 | 6759 | 6761..=6763)
    )
}

/// The Luhn check: the digit sum, every second digit from the right doubled, is a multiple of ten.
pub(crate) fn has_check_digit(digits: &str) -> bool {
    let values = digits.bytes().rev().map(|it| u32::from(it - b'0'));
    let weighed = values.enumerate().map(|(place, value)| match place % 2 {
        0 => value,
        _ => value * 2 / 10 + value * 2 % 10,
    });
    weighed.sum::<u32>() % 10 == 0
}
