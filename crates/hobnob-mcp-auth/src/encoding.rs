//! The encodings of OAuth (base64url, base64, forms), and random text.
//!
//! Everything that builds or reads a request uses them; nothing here knows what it encodes.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::AuthError;

#[cfg(test)]
mod tests;

/// Encodes as base64url, without padding.
pub(crate) fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url without padding.
#[cfg(feature = "server")]
pub(crate) fn from_base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// Encodes as base64 with padding, for HTTP Basic and PEM.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes base64 as in PEM, ignoring line breaks.
pub(crate) fn from_base64(text: &str) -> Option<Vec<u8>> {
    let packed: String = text.split_whitespace().collect();
    STANDARD.decode(packed).ok()
}

/// 256 random bits, as 43 characters.
pub(crate) fn random_text() -> Result<String, AuthError> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| AuthError::Unavailable("this machine gives no random numbers".into()))?;
    Ok(base64url(&bytes))
}

/// Encodes a text as `application/x-www-form-urlencoded`.
pub(crate) fn form_text(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'*' | b'-' | b'.' | b'_' => {
                encoded.push(char::from(byte));
            }
            b' ' => encoded.push('+'),
            other => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                encoded.push('%');
                encoded.push(char::from(DIGITS[usize::from(other >> 4)]));
                encoded.push(char::from(DIGITS[usize::from(other & 15)]));
            }
        }
    }
    encoded
}

/// The body of a form with these names and values.
pub(crate) fn form<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let mut body = String::new();
    for (name, value) in pairs {
        if !body.is_empty() {
            body.push('&');
        }
        body.push_str(&form_text(name));
        body.push('=');
        body.push_str(&form_text(value));
    }
    body
}
