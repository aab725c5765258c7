//! SHA-256 as a value: 64 hexadecimal digits on disk and on screen.
//!
//! Approvals, pins and caches are keyed by it, so its spelling must never change.

use std::fmt;
use std::str::FromStr;

use hobnob_text::hex::{self, HexDigits};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A SHA-256 digest, shown and stored as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// The text is not 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: 64 hexadecimal digits are expected")]
pub struct BadDigest;

impl Digest {
    /// The digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hashed = ring::digest::digest(&ring::digest::SHA256, bytes);
        let mut digest = [0; 32];
        for (to, from) in digest.iter_mut().zip(hashed.as_ref()) {
            *to = *from;
        }
        Self(digest)
    }

    /// The digest of a list of texts, with the length of each, so that the boundaries count.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut bytes = Vec::new();
        for part in parts {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        Self::of(&bytes)
    }

    /// The digest itself, without its digits.
    pub fn bytes(&self) -> [u8; 32] {
        self.0
    }
}

impl FromStr for Digest {
    type Err = BadDigest;

    fn from_str(text: &str) -> Result<Self, BadDigest> {
        // Only lower case, so that each digest has one spelling.
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(BadDigest);
        }
        hex::decode_array(text).map(Self).ok_or(BadDigest)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&HexDigits(&self.0), formatter)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
