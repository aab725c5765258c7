//! Percent-encoding of one URI component, such as the value of a variable in a URI template.
//!
//! Templates decode with it; services that build URIs encode with it, so that decoding returns the
//! exact text.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::fmt;

/// All characters except the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Percent-encodes a text as one URI component, as RFC 6570 expands a variable: every character
/// except the unreserved ones becomes `%XX`.
pub fn encode_uri_component(text: &str) -> impl fmt::Display + '_ {
    utf8_percent_encode(text, RESERVED)
}

/// Decodes `%XX`; `None` for an invalid escape or bytes that are not UTF-8.
pub(crate) fn decode_uri_component(text: &str) -> Option<String> {
    let is_escape = |rest: &str| {
        rest.as_bytes()
            .first_chunk()
            .is_some_and(|code: &[u8; 2]| code.iter().all(u8::is_ascii_hexdigit))
    };
    if !text.split('%').skip(1).all(is_escape) {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok().map(Into::into)
}
