//! The name around a trigger word, and whether values of that name are secrets.
//!
//! `find` begins here; most words of a text end here as well, so it must stay cheap.

use std::ops::Range;

use crate::redaction::REDACTION_PREFIX;
use crate::text::{before, blank, byte_before, listed, run_end, run_start, slice};

/// Which values a name has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// What a person types.
    Password,
    /// What a machine made.
    Secret,
}

/// A name whose value is a secret.
pub(crate) struct Name {
    pub(crate) range: Range<usize>,
    pub(crate) value_kind: ValueKind,
    /// Its letters and digits, in lower case, up to the word that tells what it value_kind.
    pub(crate) squashed: String,
}

impl Name {
    /// Whether the word is a short form that is a word of its own, too: «pass».
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.squashed.ends_with("pass")
    }
}

/// The longest name that is read, before the word and after it.
const BEFORE: usize = 48;
const AFTER: usize = 24;

/// What may follow the word in a name without changing what it value_kind.
const QUALIFIERS: &str = "\
    prod production dev development staging stage test live old new base value default primary \
    secondary admin root main local";

/// Words before `key` that make it a secret one.
const SECRET_KEYS: &str = "\
    api secret access private auth encryption signing master account storage app application \
    service license hmac shared webhook admin consumer crypto jwt aes server integration \
    subscription signature encrypt";

/// Words before `token` that make it one of a protocol's pages or forms.
const OPEN_TOKENS: &str =
    "page next nextpage continuation sync xsrf cancellation cancel design progress resume";

/// Words before the short forms of `password`, where they are written as one.
const PASSWORD_OWNERS: &str =
    "db user usr smtp mysql root ftp admin mail redis pg postgres database my ssh login";

/// The name around the word at `hit`.
pub(crate) fn read(text: &str, hit: Range<usize>) -> Option<Name> {
    let end = run_end(text, hit.end, in_name, AFTER + 1);
    if !is_qualifier(slice(text, hit.end..end)) || is_in_mark(text, hit.start) {
        return None;
    }
    let start = run_start(text, hit.start, |it| in_name(it) || it == b'.', BEFORE);
    let owner = owner(text, start, hit.start);
    let word = slice(text, hit.clone());
    let value_kind = value_kind(text, &owner, word, hit.start)?;
    let squashed = owner + &squash(word);
    Some(Name { range: start..end, value_kind, squashed })
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_qualifier(rest: &str) -> bool {
    let known = |part: &str| {
        part.bytes().all(|it| it.is_ascii_digit()) || listed(QUALIFIERS, &part.to_ascii_lowercase())
    };
    rest.len() <= AFTER && rest.split(['_', '-']).all(known)
}

/// Whether the word is part of what a secret was replaced by.
fn is_in_mark(text: &str, at: usize) -> bool {
    let before = before(text, at, 64);
    before.rfind(REDACTION_PREFIX).is_some_and(|mark| !before[mark..].contains(']'))
}

/// What stands before the word in its name; for `API key`, the word before it.
fn owner(text: &str, start: usize, word: usize) -> String {
    let own = squash(slice(text, start..word));
    if !own.is_empty() || !byte_before(text, start).is_some_and(blank) {
        return own;
    }
    let end = start - 1;
    squash(slice(text, run_start(text, end, in_name, BEFORE)..end))
}

fn squash(name: &str) -> String {
    name.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn value_kind(text: &str, owner: &str, word: &str, at: usize) -> Option<ValueKind> {
    let ends_with = |words: &str| words.split(' ').any(|it| owner.ends_with(it));
    let held = match word.to_ascii_lowercase().as_str() {
        "secret" | "credential" | "credentials" | "sessionid" | "session_id" | "sessid" => {
            ValueKind::Secret
        }
        "token" if !ends_with(OPEN_TOKENS) && !owner.contains("csrf") => ValueKind::Secret,
        "key" if ends_with(SECRET_KEYS) => ValueKind::Secret,
        "_auth" if !byte_before(text, at).is_some_and(in_name) => ValueKind::Secret,
        "pass" | "pwd" | "pw" if stands_apart(text, at) || ends_with(PASSWORD_OWNERS) => {
            ValueKind::Password
        }
        "token" | "key" | "_auth" | "pass" | "pwd" | "pw" => return None,
        _ => ValueKind::Password,
    };
    Some(held)
}

/// Whether a word begins here, be it only by a capital.
fn stands_apart(text: &str, at: usize) -> bool {
    let Some(last) = byte_before(text, at) else { return true };
    let capital = text.as_bytes()[at].is_ascii_uppercase();
    !last.is_ascii_alphanumeric() || (last.is_ascii_lowercase() && capital)
}
