//! National identity numbers, each with its own form and check digit.
//!
//! Rules of `digits`; the scope decides whether their matches are reported.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{begins_word, byte, ends_word, run_end, slice};

use super::cue::{Cue, cue};
use super::window::Window;

/// US social security numbers, `123-45-6789`: an assigned area, non-zero group and serial number.
pub(crate) fn find_us(window: &Window<'_>) -> Option<RuleMatch> {
    if window.count != 9 {
        return None;
    }
    let digits = window.digits();
    let range = window.range();
    let (area, group, serial) = (&digits[..3], &digits[3..5], &digits[5..]);
    let given = area != "000" && area != "666" && area < "900" && group != "00" && serial != "0000";
    let written =
        window.lengths() == [3, 2, 4] && matches!(window.only_separator(), Some('-' | ' '));
    let cued = cue(window.text, range.start) == Some(Cue::SocialSecurity);
    let dashed = written && window.only_separator() == Some('-');
    let found = given && (dashed || cued) && window.is_free(&range);
    found.then(|| RuleMatch::new(FindingKind::UsSocialSecurity, range))
}

/// German tax ids: eleven digits, one of them occurring twice or three times, and a check digit.
pub(crate) fn find_german(window: &Window<'_>) -> Option<RuleMatch> {
    if window.count != 11 {
        return None;
    }
    let digits = window.digits();
    let range = window.range();
    let written = window.lengths() == [2, 3, 3, 3] && window.only_separator() == Some(' ');
    let cued = cue(window.text, range.start) == Some(Cue::TaxId);
    let found = (written || cued)
        && !digits.starts_with('0')
        && is_german(&digits)
        && window.is_free(&range);
    found.then(|| RuleMatch::new(FindingKind::GermanTaxId, range))
}

fn is_german(digits: &str) -> bool {
    let (body, check) = digits.split_at(10);
    let most_frequent =
        (b'0'..=b'9').map(|digit| body.bytes().filter(|it| *it == digit).count()).max();
    let product = body.bytes().map(|it| u32::from(it - b'0')).fold(10, |product, digit| {
        let sum = (digit + product) % 10;
        let sum = if sum == 0 { 10 } else { sum };
        sum * 2 % 11
    });
    let expected = (11 - product) % 10;
    matches!(most_frequent, Some(2 | 3)) && check.parse() == Ok(expected)
}

/// French numbers: sex, year, month, department, commune, number, and the complement mod 97.
pub(crate) fn find_french(window: &Window<'_>) -> Option<RuleMatch> {
    if window.count != 15 {
        return None;
    }
    let digits = window.digits();
    let range = window.range();
    let plain = matches!(*window.lengths(), [15] | [13, 2] | [1, 2, 2, 2, 3, 3, 2]);
    let spaced = window.separators().iter().all(|it| it == " ");
    if !digits.starts_with(['1', '2']) || !plain || !spaced {
        return None;
    }
    let number: u64 = digits[..13].parse().ok()?;
    let key: u64 = digits[13..].parse().ok()?;
    let month: u8 = digits[3..5].parse().ok()?;
    let dated = matches!(month, 1..=12 | 20..=42 | 50..=99);
    let found = dated && key == 97 - number % 97 && window.is_free(&range);
    found.then(|| RuleMatch::new(FindingKind::FrenchSocialSecurity, range))
}

/// Swiss numbers, `756.1234.5678.97`: the country code and an EAN-13 check digit.
pub(crate) fn find_swiss(window: &Window<'_>) -> Option<RuleMatch> {
    if window.count != 13 {
        return None;
    }
    let digits = window.digits();
    let range = window.range();
    let written = matches!(*window.lengths(), [13] | [3, 4, 4, 2]);
    if !digits.starts_with("756") || !written || !window.is_free(&range) {
        return None;
    }
    let weighed = digits.bytes().enumerate().map(|(place, it)| {
        let weight = if place % 2 == 0 { 1 } else { 3 };
        weight * u32::from(it - b'0')
    });
    (weighed.sum::<u32>() % 10 == 0)
        .then(|| RuleMatch::new(FindingKind::SwissSocialSecurity, range))
}

/// Brazilian tax numbers, `123.456.789-09`, with two check digits.
pub(crate) fn find_brazilian(window: &Window<'_>) -> Option<RuleMatch> {
    if window.count != 11 {
        return None;
    }
    let digits = window.digits();
    let range = window.range();
    let signs = window.separators();
    let written = window.lengths() == [3, 3, 3, 2] && signs == [".", ".", "-"];
    let cued = window.lengths() == [11] && cue(window.text, range.start) == Some(Cue::TaxId);
    if !(written || cued) || !window.is_free(&range) {
        return None;
    }
    let values: Vec<u32> = digits.bytes().map(|it| u32::from(it - b'0')).collect();
    let check = |count: usize| {
        let weights = (2..).take(count).collect::<Vec<u32>>().into_iter().rev();
        let sum: u32 = values.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        sum * 10 % 11 % 10
    };
    let varied = values.iter().any(|it| *it != values[0]);
    let found = varied && check(9) == values[9] && check(10) == values[10];
    found.then(|| RuleMatch::new(FindingKind::BrazilianTaxNumber, range))
}

/// British numbers, `AB 12 34 56 C`: an assigned prefix, six digits, one of four suffixes.
pub(crate) fn find_british(text: &str, group: &Range<usize>) -> Option<RuleMatch> {
    let bytes = text.as_bytes();
    let space = usize::from(group.start.checked_sub(1).and_then(|it| byte(text, it)) == Some(b' '));
    let start = group.start.checked_sub(2 + space)?;
    let letters = text.get(start..start + 2)?;
    if !begins_word(text, start) || !is_british_prefix(letters) {
        return None;
    }
    let mut at = group.start;
    for _ in 0..3 {
        at += usize::from(at != group.start && byte(text, at) == Some(b' '));
        let pair = bytes.get(at..at + 2)?;
        at = pair.iter().all(u8::is_ascii_digit).then_some(at + 2)?;
    }
    at += usize::from(byte(text, at) == Some(b' '));
    let found = matches!(byte(text, at), Some(b'A'..=b'D')) && ends_word(text, at + 1);
    found.then(|| RuleMatch::new(FindingKind::UkNationalInsurance, start..at + 1))
}

fn is_british_prefix(letters: &str) -> bool {
    let upper = letters.bytes().all(|it| it.is_ascii_uppercase());
    let open = letters.bytes().all(|it| !b"DFIQUV".contains(&it)) && !letters.ends_with('O');
    upper && open && !["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"].contains(&letters)
}

/// Spanish numbers, `12345678Z` or `X1234567L`: the letter encodes the number mod 23.
pub(crate) fn find_spanish(text: &str, group: &Range<usize>) -> Option<RuleMatch> {
    const LETTERS: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let digits = slice(text, group.clone());
    let foreigner = group.start.checked_sub(1).and_then(|it| byte(text, it));
    let (start, number) = match (digits.len(), foreigner) {
        (7, Some(first @ b'X'..=b'Z')) => {
            (group.start - 1, format!("{}{digits}", char::from(first - b'X' + b'0')))
        }
        (8, _) => (group.start, digits.to_owned()),
        _ => return None,
    };
    let letter = run_end(text, group.end, |it| it == b'-', 1);
    let number: usize = number.parse().ok()?;
    let right = byte(text, letter) == LETTERS.get(number % 23).copied();
    let alone = begins_word(text, start) && !text[..start].ends_with(['.', ',', '-', '+', '#']);
    let found = right && alone && ends_word(text, letter + 1);
    found.then(|| RuleMatch::new(FindingKind::SpanishId, start..letter + 1))
}

/// Italian tax codes, `RSSMRA85T10A562S`: name, year, month, day, place and a check letter.
pub(crate) fn find_italian(text: &str, group: &Range<usize>) -> Option<RuleMatch> {
    let start = group.start.checked_sub(6)?;
    let code = text.as_bytes().get(start..start + 16)?;
    let formed = code.iter().enumerate().all(|(place, it)| match place {
        6 | 7 | 9 | 10 | 12..=14 => it.is_ascii_digit(),
        8 => b"ABCDEHLMPRST".contains(it),
        _ => it.is_ascii_uppercase(),
    });
    let found = formed
        && italian_check(&code[..15]) == code[15]
        && begins_word(text, start)
        && ends_word(text, start + 16);
    found.then(|| RuleMatch::new(FindingKind::ItalianTaxCode, start..start + 16))
}

/// Characters in odd positions count by a table, those in even positions by their own value.
fn italian_check(code: &[u8]) -> u8 {
    const ODD: [u32; 26] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24,
        23,
    ];
    let value = |it: u8| if it.is_ascii_digit() { it - b'0' } else { it - b'A' };
    let weighed = code.iter().enumerate().map(|(place, it)| match place % 2 {
        0 => ODD[usize::from(value(*it))],
        _ => u32::from(value(*it)),
    });
    let sum: u32 = weighed.sum();
    b'A' + (sum % 26) as u8
}
