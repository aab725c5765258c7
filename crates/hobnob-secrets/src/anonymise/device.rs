//! Generated names of machines: from the owner (`Johns-MacBook-Pro`), from the address
//! (`ip-10-0-0-5`, `dsl-192-0-2-7.example.net`), or random (`DESKTOP-4F7K2LQ`).

use crate::text::listed;

/// Device models, which follow the name of an owner.
const MODELS: &str = "MacBook iPhone iPad iMac Mac-mini Mac-Studio";
/// File extensions of names that contain such numbers.
const FILES: &str = "log gz tgz tar zip xz txt json xml conf bak rpm deb jar";
/// Maximum length of a host name.
const MAX_HOST: usize = 253;

/// The length of a machine name at the start of a word, if there is one.
pub(super) fn device_name(word: &str) -> Option<usize> {
    let part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '.');
    let head = &word[..word.floor_char_boundary(MAX_HOST + 1)];
    let end = head.find(|it| !part(it)).unwrap_or(head.len());
    let name = head[..end].trim_end_matches(['.', '-']);
    let dashes = || name.bytes().enumerate().filter(|(_, it)| *it == b'-').map(|(at, _)| at);
    let owned = || MODELS.split(' ').any(|model| name.find(model).is_some_and(|at| 0 < at));
    let random = || is_random(name, "DESKTOP-", 7) || is_random(name, "LAPTOP-", 8);
    let found = (1..=MAX_HOST).contains(&name.len())
        && (owned() || random() || 2 < dashes().count() && is_address(name));
    found.then_some(name.len())
}

fn is_random(name: &str, prefix: &str, length: usize) -> bool {
    let code = name.strip_prefix(prefix).and_then(|it| it.split('.').next());
    let upper = |it: u8| it.is_ascii_uppercase() || it.is_ascii_digit();
    code.is_some_and(|it| it.len() == length && it.bytes().all(upper))
}

/// Whether the name contains the four numbers of an address, and the rest is a host name.
fn is_address(name: &str) -> bool {
    let number = |it: &&str| it.len() <= 3 && it.parse::<u8>().is_ok();
    let (first, domain) = name.split_once('.').unwrap_or((name, ""));
    let mut run = 0;
    let longest = first.split('-').map(|it| {
        run = if number(&it) { run + 1 } else { 0 };
        run
    });
    let last = domain.rsplit('.').next().unwrap_or_default();
    let alphabetic = 2 <= last.len() && last.bytes().all(|it| it.is_ascii_alphabetic());
    let internet = alphabetic && !listed(FILES, last);
    longest.max() == Some(4) && (internet || domain.is_empty() && first.starts_with("ip-"))
}
