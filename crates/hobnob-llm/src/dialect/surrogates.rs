//! Replaces unpaired surrogates in JSON: servers that cut a character in two send them, and no
//! decoder accepts them.
//!
//! The stream decoder and the assembly of tool calls use it. What must stay true: a text without
//! unpaired surrogates stays unchanged, and any other text loses nothing else.

use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// The escape of U+FFFD, which replaces an unpaired surrogate.
const REPLACEMENT: &str = "\\ufffd";

/// The length in bytes of an escape such as `\ud83d`.
const ESCAPE_BYTES: usize = 6;

/// Replaces every unpaired surrogate in a JSON text.
pub(super) fn replace_unpaired(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut repaired = String::with_capacity(text.len());
    let (mut rest, mut replaced) = (text, false);
    while let Some(at) = rest.find('\\') {
        repaired.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (code_unit(rest), rest.get(ESCAPE_BYTES..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE_BYTES,
            (Some(0xD800..=0xDFFF), _) => {
                repaired.push_str(REPLACEMENT);
                rest = &rest[ESCAPE_BYTES..];
                replaced = true;
                continue;
            }
            (Some(_), _) => ESCAPE_BYTES,
            // Another escape: the backslash, and the character after it.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        repaired.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    repaired.push_str(rest);
    if replaced { Cow::Owned(repaired) } else { Cow::Borrowed(text) }
}

/// The UTF-16 code unit of the escape that the text begins with.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)
}
