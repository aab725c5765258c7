//! Internet addresses in a word, also beside ports, prefixes and names of fields.

use std::net::Ipv6Addr;
use std::ops::Range;

/// The first IPv4 address from this byte on. Four numbers with more of the kind beside them are a
/// version or a date.
pub(super) fn ipv4(word: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = from;
    while at < word.len() {
        if !word[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let digits_end = at + word[at..].iter().take_while(|it| it.is_ascii_digit()).count();
        let joined = from + 2 <= at && word[at - 1] == b'.' && word[at - 2].is_ascii_digit();
        match four_numbers(word, at).filter(|_| !joined) {
            Some(end) if is_personal_v4(&word[at..end]) => return Some(at..end),
            Some(end) => at = end,
            None => at = digits_end,
        }
    }
    None
}

/// The byte behind four numbers up to 255 with dots between them, if there are no more.
fn four_numbers(word: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for part in 0..4 {
        if 0 < part {
            if word.get(at) != Some(&b'.') {
                return None;
            }
            at += 1;
        }
        let digits = word[at..].iter().take_while(|it| it.is_ascii_digit()).count();
        let value = word[at..at + digits]
            .iter()
            .take(3)
            .fold(0_u32, |sum, digit| sum * 10 + u32::from(digit - b'0'));
        if !(1..=3).contains(&digits) || 255 < value {
            return None;
        }
        at += digits;
    }
    let more = word.get(at) == Some(&b'.') && word.get(at + 1).is_some_and(u8::is_ascii_digit);
    (!more).then_some(at)
}

/// This machine itself, everybody and nobody are no one in particular.
fn is_personal_v4(address: &[u8]) -> bool {
    !address.starts_with(b"127.")
        && !matches!(address, b"0.0.0.0" | b"255.255.255.255" | b"255.255.255.0")
}

/// The first IPv6 address in this stretch of a text.
pub(super) fn ipv6(text: &str, from: usize, to: usize) -> Option<Range<usize>> {
    let text = &text[..to];
    let bytes = text.as_bytes();
    let inside = |it: u8| it.is_ascii_hexdigit() || matches!(it, b':' | b'.');
    let mut at = from;
    while at < bytes.len() {
        if !inside(bytes[at]) {
            at += 1;
            continue;
        }
        let end = at + bytes[at..].iter().take_while(|it| inside(**it)).count();
        if let Some(found) = in_run(text, from, at, end) {
            return Some(found);
        }
        at = end;
    }
    None
}

/// Looks for the longest address at the first place of a run of letters that addresses have. What is
/// before `bound` counts as the end of another word.
fn in_run(text: &str, bound: usize, from: usize, to: usize) -> Option<Range<usize>> {
    /// The longest form of an address.
    const LONGEST: usize = 45;
    let bytes = text.as_bytes();
    let run = &bytes[from..to];
    let colons = run.iter().filter(|it| **it == b':').count();
    if colons < 2 || (colons < 6 && !run.windows(2).any(|pair| pair == b"::")) {
        return None;
    }
    let joins = |it: Option<&u8>| it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    // `std::io` has letters of addresses in it, but not whole words of them.
    let begins = |at: usize| {
        let open = at == bound || !joins(bytes.get(at - 1));
        let path = bound + 2 <= at && bytes[at - 2..at] == *b"::";
        open && !path && (bytes[at].is_ascii_hexdigit() || bytes[at..to].starts_with(b"::"))
    };
    for start in (from..to).filter(|at| begins(*at)) {
        let longest = (start + LONGEST).min(to);
        for end in (start + 3..=longest).rev() {
            if joins(bytes.get(end)) || bytes[end..].starts_with(b"::") || bytes[end - 1] == b'.' {
                continue;
            }
            match text[start..end].parse::<Ipv6Addr>() {
                Ok(address) if !address.is_loopback() && !address.is_unspecified() => {
                    return Some(start..end);
                }
                _ => {}
            }
        }
    }
    None
}
