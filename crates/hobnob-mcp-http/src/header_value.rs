//! The encoding of text in the headers `Mcp-Name` and `Mcp-Param-*`. The server decodes them before
//! it compares header and body; the client encodes them. Spec 2026-07-28: visible ASCII is sent
//! unchanged, everything else as `=?base64?…?=`.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

#[cfg(test)]
mod tests;

const PREFIX: &str = "=?base64?";
const SUFFIX: &str = "?=";

/// A header value that is not the encoding of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("header value {reason}")]
pub struct BadHeaderValue {
    reason: &'static str,
}

/// Decodes a header value. A plain value is borrowed.
pub fn decode(value: &[u8]) -> Result<Cow<'_, str>, BadHeaderValue> {
    let bad = |reason| BadHeaderValue { reason };
    if let Some(encoded) = between_markers(value) {
        let bytes = STANDARD.decode(encoded).map_err(|_| bad("is not valid base64"))?;
        let text = String::from_utf8(bytes).map_err(|_| bad("is not UTF-8 inside base64"))?;
        return Ok(Cow::Owned(text));
    }
    if !is_plain(value) {
        return Err(bad("has characters that must be sent as base64"));
    }
    let text = std::str::from_utf8(value).map_err(|_| bad("is not UTF-8"))?;
    Ok(Cow::Borrowed(text))
}

/// Encodes a text as a header value. A text that needs no encoding is borrowed.
pub fn encode(text: &str) -> Cow<'_, str> {
    // Encode a text that looks encoded, so that no reader takes it for something else. This
    // includes overlapping markers, on which readers differ.
    let looks_encoded = text.starts_with(PREFIX) && text.ends_with(SUFFIX);
    if is_plain(text.as_bytes()) && !looks_encoded {
        return Cow::Borrowed(text);
    }
    let mut value = String::with_capacity(PREFIX.len() + text.len().div_ceil(3) * 4 + SUFFIX.len());
    value.push_str(PREFIX);
    STANDARD.encode_string(text, &mut value);
    value.push_str(SUFFIX);
    Cow::Owned(value)
}

fn between_markers(value: &[u8]) -> Option<&[u8]> {
    value.strip_prefix(PREFIX.as_bytes())?.strip_suffix(SUFFIX.as_bytes())
}

/// Whether it is visible ASCII, space and tab, without white space at either end.
fn is_plain(value: &[u8]) -> bool {
    let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    value.iter().all(|&byte| matches!(byte, b' '..=b'~' | b'\t'))
        && !blank(value.first())
        && !blank(value.last())
}
