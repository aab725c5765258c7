//! Percent coding of one part of an address, the value of a variable in a URI template.
//!
//! Templates decode with it; services that write addresses of their own encode with it, so that the
//! way back is exact.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::fmt;

/// All but the unreserved characters of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A text as one part of an address, as RFC 6570 expands a variable: everything but unreserved
/// characters becomes `%XX`.
pub fn encode_uri_component(text: &str) -> impl fmt::Display + '_ {
    utf8_percent_encode(text, RESERVED)
}

/// Resolves `%XX`; nothing for a broken escape or bytes that are not UTF-8.
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
