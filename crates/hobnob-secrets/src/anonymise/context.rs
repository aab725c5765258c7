//! Words behind which a user or a host is named: `user=`, `for invalid user`, `rhost=`, `for X from`.

use super::cue::{NameCue, NameOwner};
use super::names::Expected;

const USERS: [&str; 14] = [
    "user",
    "username",
    "user_name",
    "ruser",
    "logname",
    "login",
    "acct",
    "account",
    "uid",
    "auid",
    "euid",
    "loginuid",
    "suser",
    "duser",
];
const HOSTS: [&str; 7] = ["host", "hostname", "rhost", "shost", "dhost", "nodename", "computer"];
/// What a value is that is assigned to this word.
pub(super) fn assigned_to(word: &str) -> Option<NameCue> {
    if word.len() < 3 || 9 < word.len() {
        return None;
    }
    let is = |it: &&str| it.eq_ignore_ascii_case(word);
    let user = USERS.iter().any(is).then_some(NameOwner::User);
    let owner = user.or_else(|| HOSTS.iter().any(is).then_some(NameOwner::Host))?;
    // `username` says that it is a name, also of a number.
    let named = word.to_ascii_lowercase().ends_with("name");
    let expected = if named { Expected::AnyName } else { Expected::Value };
    Some(NameCue { owner, expected })
}

/// What the word behind `user` is, with only a space between: `for user bob`, `invalid user bob`.
pub(super) fn named_after(before: &str) -> Option<NameCue> {
    let named = matches!(before, "for" | "invalid" | "illegal" | "by" | "as" | "of" | "unknown");
    named.then_some(NameCue::USER)
}
