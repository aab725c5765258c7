//! Credentials in headers: bearer tokens, basic authentication, any value of `Authorization`.
//!
//! Its trigger words are the names of the header and of its schemes.

use std::ops::Range;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::kind::FindingKind;
use crate::placeholder::{is_no_value, is_placeholder};
use crate::rule_match::RuleMatch;
use crate::text::{base64, begins_word, blank, byte, ends_word, run_end, slice, stands};

use super::assignment::judge;

/// Maximum length of credentials.
const MAX_CREDENTIALS: usize = 4096;
/// Minimum length of a bearer token; a shorter one may be a word of a sentence.
const MIN_TOKEN: usize = 16;
/// Words that may stand between the header's name and the credentials.
const SCHEMES: [&str; 6] = ["token", "bot", "apikey", "api-key", "key", "digest"];

/// Matches the token after the word `Bearer`, in a header or in prose.
pub(crate) fn find_bearer(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let start = run_end(text, hit.end, blank, 4);
    if start == hit.end || !begins_word(text, hit.start) {
        return None;
    }
    find_token(text, start)
}

/// Matches `Authorization: …`, with or without a scheme before the credentials.
pub(crate) fn find_authorization(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let quoted = run_end(text, hit.end, |it| it == b'"' || it == b'\'' || it == b'\\', 2);
    let sign = run_end(text, quoted, blank, 4);
    if !matches!(byte(text, sign), Some(b':' | b'=' | b',')) {
        return None;
    }
    let opens = |it: u8| blank(it) || matches!(it, b'"' | b'\'' | b'`' | b'\\');
    let start = run_end(text, sign + 1, opens, 8);
    let word_end = run_end(text, start, |it| it.is_ascii_alphabetic() || it == b'-', 12);
    let scheme = slice(text, start..word_end).to_ascii_lowercase();
    let after_scheme = run_end(text, word_end, blank, 4);
    let schemed = word_end < after_scheme;
    if SCHEMES.contains(&scheme.as_str()) && schemed {
        return find_token(text, after_scheme).or_else(|| find_likely_token(text, after_scheme));
    }
    let bearer = || find_likely_token(text, after_scheme).filter(|_| schemed && scheme == "bearer");
    find_token(text, start).or_else(bearer)
}

/// A short value, likely a token only because it is in the header.
fn find_likely_token(text: &str, start: usize) -> Option<RuleMatch> {
    let end = run_end(text, start, token, MAX_CREDENTIALS);
    let value = slice(text, start..end).trim_end_matches('.');
    let found = 6 <= value.len() && value.contains(|it: char| it.is_ascii_digit());
    (found && !is_no_value(value))
        .then(|| RuleMatch::likely(FindingKind::BearerToken, start..start + value.len()))
}

fn find_token(text: &str, start: usize) -> Option<RuleMatch> {
    let end = run_end(text, start, token, MAX_CREDENTIALS);
    let value = slice(text, start..end).trim_end_matches('.');
    let found = MIN_TOKEN <= value.len() && judge::is_secret(value);
    found.then(|| RuleMatch::new(FindingKind::BearerToken, start..start + value.len()))
}

fn token(byte: u8) -> bool {
    base64(byte) || matches!(byte, b'-' | b'.' | b'_' | b'~' | b':' | b'|')
}

/// Matches `Basic …` if the credentials decode to a user and a password.
pub(crate) fn find_basic(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let start = run_end(text, hit.end, blank, 4);
    let end = run_end(text, start, base64, MAX_CREDENTIALS);
    let value = slice(text, start..end);
    if value.len() < 8 || !begins_word(text, hit.start) || !ends_word(text, end) {
        return None;
    }
    let decoded = STANDARD_NO_PAD.decode(value.trim_end_matches('=')).ok()?;
    let decoded = std::str::from_utf8(&decoded).ok()?;
    let (user, password) = decoded.split_once(':')?;
    let printable = !decoded.chars().any(char::is_control);
    let found = printable && is_credential(user, password);
    found.then(|| RuleMatch::new(FindingKind::BasicAuth, start..end))
}

/// Whether this is more than an example from a standard or a manual.
pub(super) fn is_credential(user: &str, password: &str) -> bool {
    3 < password.len()
        && password != "open sesame"
        && !password.eq_ignore_ascii_case(user)
        && !stands(password, 0, "$")
        && !is_placeholder(password)
}
