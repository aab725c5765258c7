//! The hash chain of a log: each line has a number and the SHA-256 of the line before it.
//!
//! Pure. The audit file links the lines that it appends here, and `verify` follows the links. What
//! must stay true: the hash covers every byte of a line, its own link too, except the line break.

use std::fmt::{self, Write as _};

use hobnob_text::hex::{self, HexDigits};
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The SHA-256 of one line of the log.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LineHash([u8; 32]);

impl LineHash {
    /// The previous hash that the first line of a chain names.
    pub(super) const NONE: Self = Self([0; 32]);

    /// The hash of a line without its line break.
    pub(super) fn of(line: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, line).as_ref());
        Self(hash)
    }

    /// Reads 64 hexadecimal digits.
    #[must_use]
    pub fn parse(digits: &str) -> Option<Self> {
        hex::decode_array(digits).map(Self)
    }
}

impl fmt::Display for LineHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        HexDigits(&self.0).fmt(out)
    }
}

impl fmt::Debug for LineHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "LineHash({self})")
    }
}

impl Serialize for LineHash {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LineHash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        Self::parse(&digits).ok_or_else(|| de::Error::custom("not 64 hexadecimal digits"))
    }
}

/// The last line of a chain: its number and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChainEnd {
    pub(super) seq: u64,
    pub(super) hash: LineHash,
}

impl ChainEnd {
    /// The end of a chain without lines.
    pub(super) const START: Self = Self { seq: 0, hash: LineHash::NONE };

    /// Appends a line to `text`, linked to the last one, and makes it the end of the chain.
    pub(super) fn link(&mut self, line: &str, text: &mut String) {
        let start = text.len();
        let seq = self.seq.saturating_add(1);
        text.push_str(line.strip_suffix('}').unwrap_or(line));
        // Writing to a string cannot fail.
        let _ = write!(text, ",\"seq\":{seq},\"prev\":\"{}\"}}", self.hash);
        *self = Self { seq, hash: LineHash::of(&text.as_bytes()[start..]) };
        text.push('\n');
    }

    /// The end of a chain whose last line is this one; `None` if the line is not linked.
    pub(super) fn after(line: &[u8]) -> Option<Self> {
        let link = Link::of(line)?;
        Some(Self { seq: link.seq, hash: LineHash::of(line) })
    }
}

/// What a line says about its place in the chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) struct Link {
    pub(super) seq: u64,
    /// The hash of the line before it.
    pub(super) prev: LineHash,
}

impl Link {
    /// `None` for a line of an earlier version, and for a line that the log did not write.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }
}
