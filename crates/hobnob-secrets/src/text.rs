//! Byte-wise reading of a text: ASCII classes, word boundaries, bounded reads around a position.
//!
//! All rules use it. Every read has a limit, and every slice ends on character boundaries.

use std::ops::Range;

/// A class of bytes. Every class contains ASCII only, so a run of it ends on character boundaries.
pub(crate) type Class = fn(u8) -> bool;

pub(crate) fn digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

pub(crate) fn alphanumeric(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
}

pub(crate) fn upper_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

pub(crate) fn lower_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

pub(crate) fn hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

pub(crate) fn lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

pub(crate) fn base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

pub(crate) fn base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

pub(crate) fn word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(crate) fn blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The end of the run of `class` that starts at `from`, at most `limit` bytes later.
pub(crate) fn run_end(text: &str, from: usize, class: Class, limit: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take(limit).take_while(|byte| class(**byte)).count()
}

/// The start of the run of `class` that ends at `to`, at most `limit` bytes earlier.
pub(crate) fn run_start(text: &str, to: usize, class: Class, limit: usize) -> usize {
    let before = text.as_bytes().get(..to).unwrap_or_default();
    to - before.iter().rev().take(limit).take_while(|byte| class(**byte)).count()
}

pub(crate) fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

pub(crate) fn byte_before(text: &str, at: usize) -> Option<u8> {
    at.checked_sub(1).and_then(|at| byte(text, at))
}

/// The text before a position: at most `limit` bytes, in whole characters.
pub(crate) fn before(text: &str, to: usize, limit: usize) -> &str {
    let from = text.ceil_char_boundary(to.saturating_sub(limit));
    text.get(from..to).unwrap_or_default()
}

/// The text from a position on: at most `limit` bytes, in whole characters.
pub(crate) fn after(text: &str, from: usize, limit: usize) -> &str {
    let to = text.floor_char_boundary(from.saturating_add(limit));
    text.get(from..to).unwrap_or_default()
}

/// Whether `words` is in the text at this position.
pub(crate) fn stands(text: &str, at: usize, words: &str) -> bool {
    text.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(words.as_bytes()))
}

/// The same as [`stands`], ignoring the case of ASCII letters.
pub(crate) fn stands_in_any_case(text: &str, at: usize, words: &str) -> bool {
    let range = at..at.saturating_add(words.len());
    text.as_bytes().get(range).is_some_and(|it| it.eq_ignore_ascii_case(words.as_bytes()))
}

/// Whether a token may begin here: not inside a word, or after an escape sequence.
pub(crate) fn begins_word(text: &str, at: usize) -> bool {
    let Some(last) = byte_before(text, at) else { return true };
    if !word(last) {
        return true;
    }
    let escape = matches!(last, b'n' | b't' | b'r') && byte_before(text, at - 1) == Some(b'\\');
    let percent = || {
        let coded = at.checked_sub(3).and_then(|from| text.as_bytes().get(from..at));
        coded.is_some_and(|it| it[0] == b'%' && hex(it[1]) && hex(it[2]))
    };
    escape || percent()
}

/// Whether a token may end here: not inside a word.
pub(crate) fn ends_word(text: &str, at: usize) -> bool {
    !byte(text, at).is_some_and(word)
}

/// The text in a byte range; empty if the range cuts a character.
pub(crate) fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

/// The same as [`listed`], ignoring the case of ASCII letters.
pub(crate) fn listed_in_any_case(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it.eq_ignore_ascii_case(word))
}

/// Whether a space-separated list contains this word.
pub(crate) fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|it| it == word)
}
