//! Accounts recognised within one word: `CORP\bob` of Windows, `https://bob:…@host`, `/~bob/`,
//! `arn:…:user/bob`, and `bob/192.0.2.7:1194` of VPNs.

use std::ops::Range;

use crate::text::{after, listed};

use super::cue::NameOwner;
use super::names::{Expected, MAX_NAME, is_user, name_length};

/// Words before a backslash that are no domain: registry hives, device buses, and built-in Windows
/// accounts.
const NO_DOMAIN: &str = "\
    HKLM HKCU HKCR HKU HKCC REGISTRY MACHINE SOFTWARE SYSTEM ACPI PCI USB USBSTOR HID ROOT \
    SWD SCSI STORAGE DISPLAY HDAUDIO BTHENUM UEFI AUTHORITY SERVICE BUILTIN APPPOOL DEVICE";
/// Maximum length of a domain name.
const MAX_DOMAIN: usize = 64;
/// How far away the `@` after user and password of a URL may be.
const MAX_USER_INFO: usize = 512;

/// A Windows domain and its user.
pub(super) struct DomainUser {
    pub(super) domain: Range<usize>,
    pub(super) user: Range<usize>,
}

/// `CORP\bob` as the whole word. In JSON the backslash is doubled, and a single one is an escape.
pub(super) fn domain_user(
    word: &str,
    from: usize,
    is_json: impl Fn() -> bool,
) -> Option<DomainUser> {
    let text = &word[from..];
    let sign = text.find('\\').filter(|at| (2..=MAX_DOMAIN).contains(at))?;
    let (domain, rest) = text.split_at(sign);
    let name = rest.trim_start_matches('\\');
    let signs = rest.len() - name.len();
    let length = name_length(name);
    let (user, behind) = name.split_at(length);
    let upper =
        domain.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit() || it == b'-');
    let dotted = domain.contains('.')
        && domain.bytes().all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'-'));
    let known = listed(NO_DOMAIN, domain) || domain.bytes().all(|it| it.is_ascii_digit());
    let ends = behind.is_empty() || behind.starts_with(['.', ':']) && !behind[1..].contains('\\');
    let name = 2 <= user.len() && !user.contains('\\') && is_user(user, Expected::Word);
    let formed = (upper || dotted) && !known && name && ends;
    (formed && (signs == 2 || signs == 1 && !is_json())).then(|| {
        let start = from + sign + signs;
        DomainUser { domain: from..from + sign, user: start..start + length }
    })
}

/// The first user with a password in a URL that begins in this range of a word (`https://bob:…@`),
/// and the byte after the password. `text` continues after the word.
pub(super) fn url_user(text: &str, starts: Range<usize>) -> Option<(Range<usize>, usize)> {
    let schemes = after(text, starts.start, starts.len()).match_indices("://");
    schemes.map(|(at, _)| starts.start + at + 3).find_map(|start| {
        let rest = after(text, start, MAX_USER_INFO);
        let ends = |it: char| it.is_whitespace() || "/?#\"'<>".contains(it);
        let authority = rest.find(ends).map_or(rest, |end| &rest[..end]);
        let (info, _) = authority.rsplit_once('@')?;
        let (user, _) = info.split_once(':')?;
        let whole = user.len() <= MAX_NAME && name_length(user) == user.len();
        let named = whole && is_user(user, Expected::AnyName);
        named.then(|| (start..start + user.len(), start + info.len()))
    })
}

/// The first owner of a page or a resource in this range of a word: `/~bob/`,
/// `arn:aws:iam::1234:user/bob`.
pub(super) fn path_user(word: &str, starts: Range<usize>) -> Option<Range<usize>> {
    let bytes = word.as_bytes();
    let slashes = starts.clone().filter(|at| bytes[*at] == b'/');
    let mut names = slashes.filter_map(|slash| {
        let page = bytes.get(slash + 1) == Some(&b'~');
        let resource = bytes[starts.start..slash].ends_with(b":user");
        let start = slash + 1 + usize::from(page);
        (page || resource).then(|| start..start + name_length(&word[start..]))
    });
    names.find(|it| is_user(&word[it.clone()], Expected::Value))
}

/// The VPN user, or the machine, before the address and port of a connection.
pub(super) fn before_address(
    word: &str,
    from: usize,
    address: &Range<usize>,
) -> Option<(Range<usize>, NameOwner)> {
    let name = word.get(from..address.start)?.strip_suffix('/')?;
    let port = word[address.end..].strip_prefix(':')?.starts_with(|it: char| it.is_ascii_digit());
    let protocol = ["tcp", "udp", "http", "https", "ip"].contains(&name);
    let named = name_length(name) == name.len() && is_user(name, Expected::Word);
    let numbered = name.contains('-') && name.contains(|it: char| it.is_ascii_digit());
    let machine = numbered || 1 < name.matches('.').count();
    let owner = if machine { NameOwner::Host } else { NameOwner::User };
    (port && !protocol && named).then(|| (from..from + name.len(), owner))
}
