//! Credentials in command-line options.
//!
//! Triggered by `-u`, `--user` and `-p`; only commands whose option takes credentials count.

use std::ops::Range;

use crate::kind::FindingKind;
use crate::rule_match::RuleMatch;
use crate::text::{after, before, blank, byte, byte_before, run_end};

use super::assignment::judge;
use super::header::is_credential;

/// How far before an option its command may begin, and the maximum length of a value.
const MAX_LINE: usize = 256;
/// Commands whose `-p` takes a password.
const LOGINS: [&str; 7] = [
    "docker login",
    "podman login",
    "registry login",
    "sshpass",
    "mysql",
    "twine upload",
    "mariadb",
];

/// Matches the password in `curl -u user:password`.
pub(crate) fn find_user(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    if !command(text, &hit)?.contains("curl") {
        return None;
    }
    let (start, given) = argument(text, hit.end);
    let (user, password) = given.split_once(':')?;
    let start = start + user.len() + 1;
    let found = is_credential(user, password);
    found.then(|| RuleMatch::new(FindingKind::BasicAuth, start..start + password.len()))
}

/// Matches the password in `sshpass -p password` or `mysql -ppassword`.
pub(crate) fn find_password(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let command = command(text, &hit)?;
    if !LOGINS.iter().any(|it| command.contains(it)) {
        return None;
    }
    let (start, password) = argument(text, hit.end);
    let found = judge::is_typed_password(password);
    found.then(|| RuleMatch::new(FindingKind::Password, start..start + password.len()))
}

/// The line before an option, if white space precedes the option.
fn command<'text>(text: &'text str, option: &Range<usize>) -> Option<&'text str> {
    let apart = byte_before(text, option.start).is_some_and(blank);
    let line = before(text, option.start, MAX_LINE).rsplit('\n').next().unwrap_or_default();
    apart.then_some(line)
}

/// The argument of an option without quotes, and its start.
fn argument(text: &str, option: usize) -> (usize, &str) {
    let start = run_end(text, option, |it| blank(it) || it == b'=', 2);
    let quoted = matches!(byte(text, start), Some(b'"' | b'\''));
    let start = start + usize::from(quoted);
    let rest = after(text, start, MAX_LINE);
    let ends = |it: char| it.is_whitespace() || it == '"' || it == '\'';
    (start, rest.find(ends).map_or(rest, |end| &rest[..end]))
}
