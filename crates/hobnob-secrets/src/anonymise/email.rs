//! E-mail addresses, and `user@host` as shells and systemd write it.

use std::ops::Range;

/// What names of units end with.
const UNITS: [&str; 10] =
    ["service", "socket", "timer", "mount", "slice", "scope", "target", "device", "path", "swap"];

/// The longest parts of an address.
const MAX_LOCAL: usize = 64;
const MAX_DOMAIN: usize = 253;

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

/// The first `NAME@PLACE` that begins in this range.
pub(super) fn mail_address(word: &str, starts: Range<usize>) -> Option<MailAddress> {
    let bytes = word.as_bytes();
    let mut at = starts.start;
    // The sign stands behind a whole name.
    let last = bytes.len().min(starts.end + MAX_LOCAL);
    while let Some(found) = bytes.get(at..last)?.iter().position(|it| *it == b'@') {
        let sign = at + found;
        let local = bytes[starts.start..sign].iter().rev().take(MAX_LOCAL);
        let start = sign - local.take_while(|it| is_local(**it)).count();
        let domain = bytes[sign + 1..].iter().take(MAX_DOMAIN);
        let mut end = sign + 1 + domain.take_while(|it| is_domain(**it)).count();
        while sign + 1 < end && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        let whole = word.is_char_boundary(start) && word.is_char_boundary(end);
        if start < sign && sign + 1 < end && whole {
            return (start < starts.end)
                .then_some(MailAddress { local: start..sign, domain: sign + 1..end });
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
