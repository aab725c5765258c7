//! The digest of a file's content, by which a caller says which version it has seen.

use std::fmt;
use std::str::FromStr;

use ring::digest::{Context, SHA256, digest};

/// SHA-256 of all bytes of a file, written as 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self::taken(digest(&SHA256, bytes).as_ref())
    }

    fn taken(bytes: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(bytes);
        Self(hash)
    }
}

/// A digest of bytes that come piece by piece.
pub(crate) struct Hashing(Context);

impl Hashing {
    pub(crate) fn new() -> Self {
        Self(Context::new(&SHA256))
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn end(self) -> ContentHash {
        ContentHash::taken(self.0.finish().as_ref())
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// A text that is not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a content hash: 64 hexadecimal digits are needed")]
pub struct BadContentHash(String);

impl FromStr for ContentHash {
    type Err = BadContentHash;

    fn from_str(text: &str) -> Result<Self, BadContentHash> {
        let bad = || BadContentHash(text.to_owned());
        if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(bad());
        }
        let mut hash = [0; 32];
        for (at, byte) in hash.iter_mut().enumerate() {
            let digits = text.get(2 * at..2 * at + 2).ok_or_else(bad)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| bad())?;
        }
        Ok(Self(hash))
    }
}
