//! Halves of surrogate pairs in JSON: servers that cut a character in two send them, and no decoder
//! takes them.
//!
//! The decoder of streams and the parts of calls mend their texts with it. What must stay true: a
//! text without such halves stays as it is, and one with them loses nothing else.

use std::borrow::Cow;

#[cfg(test)]
mod tests;

/// What stands in the place of a half: the escape of U+FFFD.
const REPLACEMENT: &str = "\\ufffd";

/// The bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// The JSON text with each half of a surrogate pair replaced.
pub(super) fn mend(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut mended = String::with_capacity(text.len());
    let (mut rest, mut replaced) = (text, false);
    while let Some(at) = rest.find('\\') {
        mended.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (unit(rest), rest.get(ESCAPE..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(0xD800..=0xDFFF), _) => {
                mended.push_str(REPLACEMENT);
                rest = &rest[ESCAPE..];
                replaced = true;
                continue;
            }
            (Some(_), _) => ESCAPE,
            // Another escape: the backslash, and the character after it.
            (None, _) => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        mended.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    mended.push_str(rest);
    if replaced { Cow::Owned(mended) } else { Cow::Borrowed(text) }
}

/// The code unit of the escape that the text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let hexadecimal = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| hexadecimal)
}
