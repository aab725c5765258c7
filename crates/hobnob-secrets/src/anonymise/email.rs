//! E-mail addresses, and `user@host` as shells and systemd write it.

use std::ops::Range;

/// What names of units end with.
const UNITS: [&str; 10] =
    ["service", "socket", "timer", "mount", "slice", "scope", "target", "device", "path", "swap"];

/// The two sides of an `@`.
pub(super) struct MailAddress {
    pub(super) local: Range<usize>,
    pub(super) domain: Range<usize>,
}

impl MailAddress {
    /// Whether the domain has a dot in it, as those have that mail goes to.
    pub(super) fn is_mail(&self, word: &str) -> bool {
        word[self.domain.clone()].contains('.')
    }

    /// Whether it is the name of a unit of systemd, such as `getty@tty1.service`.
    pub(super) fn is_unit(&self, word: &str) -> bool {
        let ending = word[self.domain.clone()].rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| UNITS.contains(&ending))
    }

    pub(super) fn whole(&self) -> Range<usize> {
        self.local.start..self.domain.end
    }
}

/// The first `NAME@PLACE` from this byte on.
pub(super) fn mail_address(word: &str, from: usize) -> Option<MailAddress> {
    let bytes = word.as_bytes();
    let mut at = from;
    while let Some(found) = bytes[at..].iter().position(|it| *it == b'@') {
        let sign = at + found;
        let before = bytes[from..sign].iter().rev().take_while(|it| is_local(**it)).count();
        let after = bytes[sign + 1..].iter().take_while(|it| is_domain(**it)).count();
        let mut end = sign + 1 + after;
        while sign + 1 < end && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        if 0 < before && sign + 1 < end {
            return Some(MailAddress { local: sign - before..sign, domain: sign + 1..end });
        }
        at = sign + 1;
    }
    None
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-') || 128 <= byte
}

fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') || 128 <= byte
}
