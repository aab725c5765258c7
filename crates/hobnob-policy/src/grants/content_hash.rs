//! The digest of a file's content, with which a caller says which version it has read.
//!
//! This file only parses and prints digests; the effect that reads the bytes computes them.

use std::fmt;
use std::str::FromStr;

use hobnob_text::hex::{self, HexDigits};

/// SHA-256 of all bytes of a file, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentHash([u8; 32]);

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a content hash: 64 hexadecimal digits are needed")]
pub struct BadContentHash(String);

impl ContentHash {
    /// A digest from its bytes.
    #[must_use]
    pub fn new(digest: [u8; 32]) -> Self {
        Self(digest)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&HexDigits(&self.0), out)
    }
}

impl FromStr for ContentHash {
    type Err = BadContentHash;

    fn from_str(text: &str) -> Result<Self, BadContentHash> {
        hex::decode_array(text).map(Self).ok_or_else(|| BadContentHash(text.to_owned()))
    }
}
