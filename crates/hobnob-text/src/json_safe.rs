//! JSON for a terminal: its values stay the same, and no terminal acts on its strings.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::display_hazard::{is_display_hazard, is_selector};

#[cfg(test)]
mod tests;

/// Escapes every character that a terminal would act on, reorder or hide. The JSON keeps its
/// meaning: such characters can only be inside strings, where they become `\uXXXX`.
#[must_use]
pub fn json_safe(text: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii() && byte != b'\x7f';
    if text.bytes().all(plain) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 32);
    for letter in text.chars() {
        match is_display_hazard(letter) || is_selector(letter) {
            true => escape_utf16(&mut safe, letter),
            false => safe.push(letter),
        }
    }
    Cow::Owned(safe)
}

/// Appends a character as JSON escapes it: one `\uXXXX` for each UTF-16 unit.
pub fn escape_utf16(out: &mut String, letter: char) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
}
