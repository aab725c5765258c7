//! Hexadecimal digits: encoding and decoding bytes.
//!
//! Encoding writes lower case, since digests are compared as text; decoding accepts both cases.

use std::fmt;

#[cfg(test)]
mod tests;

/// Bytes that [`fmt::Display`] writes as hexadecimal digits.
#[derive(Debug, Clone, Copy)]
pub struct HexDigits<'a>(pub &'a [u8]);

impl fmt::Display for HexDigits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Encodes bytes, two digits for each.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble & 0xf)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}

/// Decodes pairs of digits; `None` if the text is anything else.
#[must_use]
pub fn decode(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| Some(decode_digit(*pair.first()?)? << 4 | decode_digit(*pair.get(1)?)?))
        .collect()
}

/// Decodes exactly `2 * N` digits, such as those of a digest.
#[must_use]
pub fn decode_array<const N: usize>(digits: &str) -> Option<[u8; N]> {
    decode(digits)?.try_into().ok()
}

/// The value of one digit.
#[must_use]
pub fn decode_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
