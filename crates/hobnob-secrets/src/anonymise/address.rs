//! IP addresses in a word, also next to ports, prefixes and field names.

use std::net::Ipv6Addr;
use std::ops::Range;

use crate::text::hex;

/// Maximum length of an IPv6 address, and maximum number of its groups.
const MAX_V6: usize = 45;
const MAX_GROUPS: usize = 8;

/// The first IPv4 address that begins in this range. Four numbers next to further numbers, or in
/// the name of a product or a package, are a version or a date.
pub(super) fn ipv4(word: &[u8], starts: Range<usize>) -> Option<Range<usize>> {
    let mut at = starts.start;
    while at < starts.end {
        if !word[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let digits_end = at + word[at..].iter().take_while(|it| it.is_ascii_digit()).count();
        let joined =
            starts.start + 2 <= at && word[at - 1] == b'.' && word[at - 2].is_ascii_digit();
        match four_numbers(word, at).filter(|_| !joined) {
            Some(end)
                if is_personal_v4(&word[at..end]) && !is_version(word, starts.start, at..end) =>
            {
                return Some(at..end);
            }
            Some(end) => at = end,
            None => at = digits_end,
        }
    }
    None
}

/// The end of four numbers up to 255 separated by dots, if no fifth number follows.
fn four_numbers(word: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for part in 0..4 {
        if 0 < part {
            if word.get(at) != Some(&b'.') {
                return None;
            }
            at += 1;
        }
        let digits = word[at..].iter().take(4).take_while(|it| it.is_ascii_digit()).count();
        let value = number(&word[at..at + digits]);
        if !(1..=3).contains(&digits) || 255 < value {
            return None;
        }
        at += digits;
    }
    let more = word.get(at) == Some(&b'.') && word.get(at + 1).is_some_and(u8::is_ascii_digit);
    (!more).then_some(at)
}

fn number(digits: &[u8]) -> u32 {
    digits.iter().take(4).fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
}

/// Excludes loopback, multicast, netmask and unspecified addresses, which identify no person.
fn is_personal_v4(address: &[u8]) -> bool {
    let first = address.split(|it| *it == b'.').next().map_or(0, number);
    !matches!(first, 0 | 127 | 224..=239 | 255)
}

/// The version of a product or a package: `v1.2.3.4`, `Chrome/120.0.0.0`, `libfoo-1.2.3.4-5.el8`.
fn is_version(word: &[u8], bound: usize, at: Range<usize>) -> bool {
    let (before, after) = (&word[bound..at.start], &word[at.end..]);
    match before {
        [.., other, b'v' | b'V'] => !other.is_ascii_alphanumeric(),
        [b'v' | b'V'] | [.., b'~'] => true,
        // An address after a name has a port.
        [name @ .., b'/'] => {
            let product = name.first().is_some_and(u8::is_ascii_uppercase)
                && name.iter().all(u8::is_ascii_alphabetic)
                && (name.iter().any(u8::is_ascii_lowercase) || name == b"OPR");
            product && after.first() != Some(&b':')
        }
        [.., other, b'-'] => {
            let release =
                after.first() == Some(&b'-') && after.get(1).is_some_and(u8::is_ascii_digit);
            other.is_ascii_alphanumeric() && release
        }
        _ => false,
    }
}

/// The first IPv6 address that begins in this range; the text before it counts as another word.
pub(super) fn ipv6(word: &str, starts: Range<usize>) -> Option<Range<usize>> {
    let bytes = word.as_bytes();
    // `std::io` contains hexadecimal digits and colons, but no whole groups.
    let begins = |at: &usize| {
        let open = *at == starts.start || !joins(bytes.get(at - 1));
        let path = starts.start + 2 <= *at && bytes[at - 2..*at] == *b"::";
        open && !path && (hex(bytes[*at]) || bytes[*at..].starts_with(b"::"))
    };
    starts.clone().filter(begins).find_map(|start| Some(start..v6_end(word, start)?))
}

fn joins(byte: Option<&u8>) -> bool {
    byte.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_')
}

/// The end of the longest address that begins here.
fn v6_end(word: &str, start: usize) -> Option<usize> {
    let bytes = word.as_bytes();
    let inside = |it: &&u8| hex(**it) || matches!(it, b':' | b'.');
    let length = bytes[start..].iter().take(MAX_V6).take_while(inside).count();
    let run = &bytes[start..start + length];
    let colons = run.iter().filter(|it| **it == b':').count();
    let short = run.windows(2).any(|pair| pair == b"::");
    if colons < 2 || !short && colons < MAX_GROUPS - 2 {
        return None;
    }
    // Pairs only are a fingerprint, or a hardware address.
    let mut groups = run.split(|it| *it == b':').take(MAX_GROUPS);
    if groups.by_ref().all(|group| group.len() == 2) {
        return None;
    }
    (start + 3..=start + length).rev().find(|end| {
        let cut = joins(bytes.get(*end)) || bytes[*end..].starts_with(b"::");
        let address = || word[start..*end].parse::<Ipv6Addr>();
        !cut && bytes[end - 1] != b'.' && address().is_ok_and(is_personal_v6)
    })
}

fn is_personal_v6(address: Ipv6Addr) -> bool {
    !address.is_loopback() && !address.is_unspecified() && !address.is_multicast()
}
