//! SHA-256 checksums: pinned in constants, and computed from a stream while it is read.
//!
//! `package` pins them; installing and loading the model compare against them.

use std::fmt;
use std::io::{self, Read};

use hobnob_text::hex::HexDigits;
use ring::digest;

/// A SHA-256 checksum, displayed as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Checksum([u8; 32]);

impl Checksum {
    /// Parses the hexadecimal digits of a constant; anything but 64 digits is a compile error.
    pub(crate) const fn pinned(digits: &str) -> Self {
        let digits = digits.as_bytes();
        assert!(digits.len() == 64, "a checksum has 64 digits");
        let mut bytes = [0; 32];
        let mut at = 0;
        while at < 32 {
            bytes[at] = nibble(digits[2 * at]) << 4 | nibble(digits[2 * at + 1]);
            at += 1;
        }
        Self(bytes)
    }
}

const fn nibble(digit: u8) -> u8 {
    assert!(matches!(digit, b'0'..=b'9' | b'a'..=b'f'), "digits are hexadecimal and small");
    if digit <= b'9' { digit - b'0' } else { digit - b'a' + 10 }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&HexDigits(&self.0), f)
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A reader that computes the checksum of everything read through it.
pub(crate) struct HashingReader<R> {
    inner: R,
    context: digest::Context,
}

impl<R: Read> HashingReader<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, context: digest::Context::new(&digest::SHA256) }
    }

    /// The checksum of all bytes read so far.
    pub(crate) fn finish(self) -> Checksum {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.context.finish().as_ref());
        Checksum(bytes)
    }
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.context.update(&buffer[..count]);
        Ok(count)
    }
}
