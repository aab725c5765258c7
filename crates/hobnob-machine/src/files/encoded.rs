//! Names that are not UTF-8 as text that loses nothing: percent-encoded, as in a `file:` address.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

/// Readable where it can be: only what is no plain character of an address is encoded.
const NEEDED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'<').add(b'>').add(b'?').add(b'`');

/// All bytes of a name or path.
pub(crate) fn encode(bytes: &[u8]) -> String {
    percent_encode(bytes, NEEDED).to_string()
}

/// The bytes of what [`encode`] wrote.
pub(crate) fn decode(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}

/// The encoded form of what cannot be text, and nothing for what can.
pub(crate) fn encode_unless_text(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).is_err().then(|| encode(bytes))
}
