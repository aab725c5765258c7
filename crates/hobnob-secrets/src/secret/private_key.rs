//! Armoured private keys, from the opening line to the closing line.
//!
//! The trigger word is the opening line; a key without a closing line ends with its last line.

use std::ops::Range;

use crate::composition::Composition;
use crate::kind::FindingKind;
use crate::placeholder::has_filler_word;
use crate::rule_match::RuleMatch;
use crate::text::{after, base64, before, run_end, slice, stands};

const DASHES: &str = "-----";
/// Maximum length of the title between the dashes.
const MAX_TITLE: usize = 40;
/// Minimum length of a key: the shortest, Ed25519 in PKCS #8, has 64 characters, but may be cut.
const MIN_BODY: usize = 40;
/// Minimum length of a line of a key; a shorter one may be a word.
const MIN_LINE: usize = 16;
/// A random key has at least this many distinct characters.
const MIN_DISTINCT: usize = 17;
/// How far away the other fields of a service account's file may be, in bytes.
const FILE_REACH: usize = 4096;

/// Matches `-----BEGIN … PRIVATE KEY-----` up to its end, or to where the text stops being a key.
pub(crate) fn find_armoured(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let title_end = run_end(text, hit.end, title, MAX_TITLE);
    let title = slice(text, hit.end..title_end);
    let kind = match title {
        "PGP PRIVATE KEY BLOCK" => FindingKind::PgpPrivateKey,
        it if it.ends_with("PRIVATE KEY") => FindingKind::PrivateKey,
        _ => return None,
    };
    if !stands(text, title_end, DASHES) {
        return None;
    }
    let body_start = title_end + DASHES.len();
    let body_end = body_start + body_length(&text[body_start..]);
    let body = slice(text, body_start..body_end);
    if !is_key(body) {
        return None;
    }
    let end = if stands(text, body_end, DASHES) {
        close(text, body_end, title)
    } else {
        body_start + end_of_lines(body)
    };
    let account = is_service_account(text, hit.start, end);
    let kind = if account { FindingKind::GcpServiceAccountKey } else { kind };
    Some(RuleMatch::new(kind, hit.start..end))
}

/// Matches a PuTTY key file, from its first line to its last.
pub(crate) fn find_putty(text: &str, hit: Range<usize>) -> Option<RuleMatch> {
    let file = after(text, hit.start, 2 * FILE_REACH);
    let private = file.find("Private-Lines:")?;
    let key_start = hit.start + private + "Private-Lines:".len();
    let key_end = run_end(text, key_start, |it| base64(it) || it.is_ascii_whitespace(), FILE_REACH);
    let key = slice(text, key_start..key_end);
    let end = key_start + end_of_lines(key);
    is_key(key).then(|| RuleMatch::new(FindingKind::PrivateKey, hit.start..end))
}

fn title(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
}

/// The length of the body: up to the next dashes, or to a character that is never part of a key.
///
/// A body never extends past another opening line, so repeated opening lines stay linear.
fn body_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |at: &usize| !in_body(bytes[*at]) || bytes[*at..].starts_with(DASHES.as_bytes());
    (0..bytes.len()).find(ends).unwrap_or(bytes.len())
}

/// Base64, line ends (real or escaped), headers, and quoting characters of code or comments.
fn in_body(byte: u8) -> bool {
    base64(byte) || byte.is_ascii_whitespace() || b"\\\"'`:,;-._()#*>|".contains(&byte)
}

fn close(text: &str, at: usize, title: &str) -> usize {
    let closing = format!("{DASHES}END {title}{DASHES}");
    if stands(text, at, &closing) { at + closing.len() } else { at }
}

/// Whether the lines contain a key, and not only mention one.
fn is_key(body: &str) -> bool {
    let key: String = lines(body).collect();
    MIN_BODY <= key.len()
        && MIN_DISTINCT <= Composition::of(&key).distinct
        && !has_filler_word(&key)
}

/// The end of the last line of a key without a closing line.
fn end_of_lines(body: &str) -> usize {
    lines(body).last().and_then(|last| body.rfind(last).map(|at| at + last.len())).unwrap_or(0)
}

/// The runs of base64 that are too long for words.
fn lines(body: &str) -> impl Iterator<Item = &str> {
    body.split(|it: char| !it.is_ascii() || !base64(it as u8)).filter(|it| MIN_LINE <= it.len())
}

/// Whether the key is a field of a Google service account's file.
fn is_service_account(text: &str, start: usize, end: usize) -> bool {
    let field = before(text, start, 24).contains("private_key");
    let names = ["service_account", "gserviceaccount.com"];
    let (file_before, file_after) = (before(text, start, FILE_REACH), after(text, end, FILE_REACH));
    field && names.iter().any(|it| file_before.contains(it) || file_after.contains(it))
}
