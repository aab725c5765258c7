//! Cryptographically secure random bytes and tokens: keys, ids of sessions, tasks and parked calls.
//!
//! Invariant: they come from the system's random number generator or not at all. A caller that gets
//! [`NoRandomness`] fails; it never falls back to a weaker generator.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

/// The system's random number generator failed, so no secret can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no randomness")]
pub struct NoRandomness;

/// Fills an array with cryptographically secure random bytes.
pub fn random_bytes<const N: usize>() -> Result<[u8; N], NoRandomness> {
    bytes_from(|bytes| SystemRandom::new().fill(bytes).map_err(|_| NoRandomness))
}

/// A random token of 128 bits: 22 characters that are safe in URLs, headers and file names.
pub fn random_token() -> Result<Box<str>, NoRandomness> {
    random_bytes().map(token_of)
}

pub(crate) fn token_of(bytes: [u8; 16]) -> Box<str> {
    URL_SAFE_NO_PAD.encode(bytes).into()
}

pub(crate) fn bytes_from<const N: usize>(
    fill: impl FnOnce(&mut [u8]) -> Result<(), NoRandomness>,
) -> Result<[u8; N], NoRandomness> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}
