//! The beginning of a text, for places with little room. Lengths are in characters.
//!
//! Messages, lists and logs repeat what others wrote with it, so no cut ever parts a character.

use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// At most `limit` characters.
#[must_use]
pub fn first_chars(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// At most `limit` characters, and `…` after them if there are more.
#[must_use]
pub fn ellipsize(text: &str, limit: usize) -> Cow<'_, str> {
    let shown = first_chars(text, limit);
    if shown.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{shown}…")) }
}

/// At most `limit` characters, escaped as Rust escapes them for debugging.
#[must_use]
pub fn escaped_start(text: &str, limit: usize) -> String {
    text.chars().take(limit).flat_map(char::escape_debug).collect()
}

/// At most `limit` characters on one line: each control character becomes a space.
#[must_use]
pub fn plain_line(text: &str, limit: usize) -> Box<str> {
    let plain = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    plain.take(limit).collect::<String>().trim().into()
}

/// The words of a text, with one space between them.
#[must_use]
pub fn single_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
