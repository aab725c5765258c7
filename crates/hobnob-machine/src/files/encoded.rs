//! Names that are not UTF-8 as lossless text: percent-encoded, as in a `file:` URI.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

/// Keeps the text readable: only characters that a URI does not allow are encoded.
const ENCODED_CHARS: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`');

/// Encodes all bytes of a name or path.
pub(crate) fn encode(bytes: &[u8]) -> String {
    percent_encode(bytes, ENCODED_CHARS).to_string()
}

/// Decodes the output of [`encode`].
pub(crate) fn decode(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

/// The encoded form of a name that is not UTF-8; `None` for one that is.
pub(crate) fn encode_unless_text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).is_err().then(|| encode(bytes))
}
