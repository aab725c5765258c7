//! Shortened text, for places with little room. Lengths are in characters.
//!
//! Messages, lists and logs quote other people's text with it, so a cut never splits a character.
//! Shortening alone does not make a text safe to print.

use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// The first `limit` characters of a text.
#[must_use]
pub fn first_chars(text: &str, limit: usize) -> &str {
    match text.char_indices().nth(limit) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The first `limit` characters, followed by `…` if there are more.
#[must_use]
pub fn ellipsize(text: &str, limit: usize) -> Cow<'_, str> {
    let shown = first_chars(text, limit);
    if shown.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(format!("{shown}…")) }
}

/// The first `limit` characters, each escaped as `{:?}` does; escapes do not count as longer.
#[must_use]
pub fn escaped_start(text: &str, limit: usize) -> String {
    text.chars().take(limit).flat_map(char::escape_debug).collect()
}

/// The first `limit` characters on one line: each control character becomes a space.
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
