//! E-mail addresses, and `user@host` as shells and systemd write it. In URLs, `@` is `%40`.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::{after, before, hex, listed};

use super::names::{Expected, is_host, is_impersonal, is_user};

/// Suffixes of systemd units.
const UNITS: &str = "service socket timer mount slice scope target device path swap";
/// Extensions of files whose names contain an `@`: `logo@2x.png`.
const FILES: &str = "png jpg jpeg gif svg webp ico css js json html xml";
/// Domains in the names of algorithms.
const ALGORITHMS: &str = "openssh.com libssh.org";
/// Maximum lengths of the two parts of an address.
const MAX_LOCAL: usize = 64;
const MAX_DOMAIN: usize = 253;

/// The two sides of an `@`.
pub(super) struct MailAddress {
    pub(super) local: Range<usize>,
    pub(super) domain: Range<usize>,
}

/// What the two sides are.
pub(super) enum MailKind {
    /// An address that receives mail.
    Mail,
    /// An account and a machine; the flags say which of the names identify a person or a machine.
    Login { user: bool, host: bool },
    /// An account at an IP address.
    LoginAtAddress,
    /// A systemd unit, a package version, an object of a program.
    Other,
}

impl MailAddress {
    /// Classifies the address, ignoring the text before `from`.
    pub(super) fn kind(&self, word: &str, from: usize) -> MailKind {
        let (local, domain) = (&word[self.local.clone()], &word[self.domain.clone()]);
        if self.is_unit(word) || self.is_password(word, from) || is_version(domain) {
            return MailKind::Other;
        }
        let last = domain.rsplit('.').next().unwrap_or_default();
        let user = is_user(local, Expected::Value) && local != "git";
        if domain.parse::<std::net::Ipv4Addr>().is_ok() {
            return if user { MailKind::LoginAtAddress } else { MailKind::Other };
        }
        if !domain.contains('.') {
            let host = is_host(domain, Expected::Value);
            let machine = is_machine(domain);
            return if machine { MailKind::Login { user, host } } else { MailKind::Other };
        }
        let named = 2 <= last.len() && last.bytes().all(|it| it.is_ascii_alphabetic() || 128 <= it);
        let mail = (named || last.starts_with("xn--")) && !listed(FILES, last);
        let other = listed(ALGORITHMS, domain) || local == "git" || is_impersonal(domain);
        if mail && !other { MailKind::Mail } else { MailKind::Other }
    }

    pub(super) fn whole(&self) -> Range<usize> {
        self.local.start..self.domain.end
    }

    /// Whether it is the name of a systemd unit, such as `getty@tty1.service`.
    fn is_unit(&self, word: &str) -> bool {
        let rest = after(word, self.local.end, MAX_DOMAIN).trim_end_matches(['.', ':', ',']);
        let ending = rest.rsplit_once('.').map(|(_, ending)| ending);
        ending.is_some_and(|ending| listed(UNITS, ending))
    }

    /// Whether the local part is the password in a URL, which is hidden with what follows it.
    fn is_password(&self, word: &str, from: usize) -> bool {
        let before = before(&word[from..], self.local.start - from, MAX_DOMAIN);
        let authority = before.rfind("://").map(|at| &before[at + 3..]);
        authority.is_some_and(|it| it.contains(':') && !it.contains('/'))
    }
}

/// Package versions after an `@`: `4.17.21`, `v4`, `3`.
fn is_version(domain: &str) -> bool {
    let number = domain.strip_prefix('v').unwrap_or(domain);
    let mut parts = number.split('.');
    let digit =
        |it: Option<&str>| it.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()));
    let first = parts.next();
    let second = parts.next();
    let third = parts.next();
    let address = domain.parse::<std::net::Ipv4Addr>().is_ok();
    !address
        && digit(first)
        && (second.is_none() || digit(second) && (third.is_none() || digit(third)))
}

/// Whether a word without a dot can be a machine: not a digest, an interface or an object's hash.
fn is_machine(host: &str) -> bool {
    let hash =
        4 <= host.len() && host.bytes().all(hex) && host.bytes().any(|it| it.is_ascii_digit());
    let interface =
        host.strip_prefix("if").is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()));
    !hash && !interface && !host.starts_with("sha256") && !host.starts_with("0x") && host != "NONE"
}

/// The first `NAME@PLACE` that begins in this range.
pub(super) fn mail_address(word: &str, starts: Range<usize>) -> Option<MailAddress> {
    let bytes = word.as_bytes();
    let mut at = starts.start;
    // The `@` follows a whole name.
    let last = bytes.len().min(starts.end + MAX_LOCAL);
    while let Some(found) = bytes.get(at..last)?.iter().position(|it| matches!(it, b'@' | b'%')) {
        let sign = at + found;
        let behind = match bytes[sign..] {
            [b'@', ..] => sign + 1,
            [b'%', b'4', b'0', ..] => sign + 3,
            _ => {
                at = sign + 1;
                continue;
            }
        };
        let domain = bytes[behind..].iter().take(MAX_DOMAIN);
        let mut end = behind + domain.take_while(|it| is_domain(**it)).count();
        while behind < end && matches!(bytes[end - 1], b'.' | b'-') {
            end -= 1;
        }
        let start = local_start(bytes, starts.start, sign);
        let whole = word.is_char_boundary(start) && word.is_char_boundary(end);
        if start < sign && behind < end && whole {
            return (start < starts.end)
                .then_some(MailAddress { local: start..sign, domain: behind..end });
        }
        at = behind;
    }
    None
}

/// The start of the local part, which contains no URL escapes except `+` and `.`.
fn local_start(bytes: &[u8], from: usize, sign: usize) -> usize {
    let before = &bytes[from..sign];
    let length = before.iter().rev().take(MAX_LOCAL).take_while(|it| is_local(**it)).count();
    let start = sign - length;
    let escaped = |at: &usize| {
        let code = &bytes[*at..(*at + 3).min(sign)];
        code.len() == 3
            && hex(code[1])
            && hex(code[2])
            && !matches!(code, b"%2B" | b"%2b" | b"%2E" | b"%2e")
    };
    let mut escapes = (start..sign).filter(|at| bytes[*at] == b'%');
    escapes.rfind(escaped).map_or(start, |at| at + 3)
}

/// The address with URL escapes decoded, so that both notations get the same token.
pub(super) fn plain_mail(address: &str) -> Cow<'_, str> {
    if !address.contains('%') {
        return Cow::Borrowed(address);
    }
    let plain = address.replace("%40", "@").replace("%2B", "+").replace("%2b", "+");
    Cow::Owned(plain.replace("%2E", ".").replace("%2e", "."))
}

fn is_local(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-') || 128 <= byte
}

fn is_domain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-') || 128 <= byte
}
