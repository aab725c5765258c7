//! IBANs: the country code, the length for the country, and the check digits.
//!
//! A group rule of `digits`.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{byte, byte_before, ends_word};

/// The length of an IBAN per country.
const LENGTHS: &str = "\
    AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 \
    DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 \
    IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 \
    MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 \
    SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30";

/// Matches the IBAN whose check digits begin this group.
pub(crate) fn find(text: &str, group: &Range<usize>) -> Option<RuleMatch> {
    let start = group.start.checked_sub(2)?;
    let country = text.get(start..group.start)?;
    if !country.bytes().all(|it| it.is_ascii_uppercase()) {
        return None;
    }
    let length = LENGTHS.split(' ').find_map(|it| it.strip_prefix(country))?.parse().ok()?;
    if byte_before(text, start)
        .is_some_and(|it| it.is_ascii_alphanumeric() || it == b'_' || it == b'-')
    {
        return None;
    }
    let (number, end) = read(text, start, length)?;
    let sound = ends_word(text, end) && remainder(&number) == 1;
    sound.then(|| RuleMatch::new(FindingKind::Iban, start..end))
}

/// Reads `length` letters and digits from a position, allowing single spaces between.
fn read(text: &str, start: usize, length: usize) -> Option<(String, usize)> {
    let mut number = String::with_capacity(length);
    let mut at = start;
    while number.len() < length {
        match byte(text, at)? {
            it if it.is_ascii_digit() || it.is_ascii_uppercase() => number.push(char::from(it)),
            b' ' if byte_before(text, at) != Some(b' ') => {}
            _ => return None,
        }
        at += 1;
    }
    Some((number, at))
}

/// ISO 7064 mod 97-10: first four characters moved to the end, letters as numbers from ten.
fn remainder(number: &str) -> u32 {
    let (head, rest) = number.split_at(4);
    rest.chars().chain(head.chars()).filter_map(|it| it.to_digit(36)).fold(0, |sum, value| {
        let shift = if value < 10 { 10 } else { 100 };
        (sum * shift + value) % 97
    })
}
