//! Words behind which a user or a host is named: `user=`, `for invalid user`, `rhost=`, `for X from`.

use super::token::PersonalKind;

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
/// Values that are no one in particular.
const NOBODY: [&str; 16] = [
    "root",
    "nobody",
    "system",
    "null",
    "none",
    "unknown",
    "localhost",
    "unset",
    "0",
    "true",
    "false",
    "daemon",
    "4294967295",
    "any",
    "all",
    "undefined",
];

/// What a value is that is assigned to this word.
pub(super) fn assigned_to(word: &str) -> Option<PersonalKind> {
    if word.len() < 3 || 9 < word.len() {
        return None;
    }
    let is = |it: &&str| it.eq_ignore_ascii_case(word);
    if USERS.iter().any(is) {
        return Some(PersonalKind::User);
    }
    HOSTS.iter().any(is).then_some(PersonalKind::Host)
}

/// What the word behind `user` is, with only a space between: `for user bob`, `invalid user bob`.
pub(super) fn named_after(before: &str) -> Option<PersonalKind> {
    let named = matches!(before, "for" | "invalid" | "illegal" | "by" | "as" | "of" | "unknown");
    named.then_some(PersonalKind::User)
}

/// Words that follow `user` in sentences about no one in particular.
pub(super) fn is_no_name(value: &str) -> bool {
    const SENTENCE: [&str; 14] = [
        "is", "has", "was", "not", "name", "and", "or", "in", "to", "from", "input", "data", "id",
        "with",
    ];
    let is = |it: &&str| it.eq_ignore_ascii_case(value);
    value.is_empty() || NOBODY.iter().any(is) || SENTENCE.contains(&value)
}

/// The beginning of a word that can be a name, in bytes.
pub(super) fn name_length(word: &str) -> usize {
    let part = |it: char| it.is_alphanumeric() || matches!(it, '.' | '_' | '-' | '+' | '$' | '\\');
    let end = word.find(|it| !part(it)).unwrap_or(word.len());
    word[..end].trim_end_matches(['.', '-', '\\', '+']).len()
}
