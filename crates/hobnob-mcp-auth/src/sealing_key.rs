//! Authenticated encryption of stored logins (ChaCha20-Poly1305), and its key.
//!
//! The store on disk keeps the key in a file of its own. What must stay true: bytes that were
//! changed, or sealed for another place, cannot be opened.

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};

use crate::error::AuthError;

#[cfg(test)]
mod tests;

/// The beginning of every sealed file: its kind, and the version of the format.
const MAGIC: &[u8] = b"hobnob grant 1\n";

/// The length of a key, in bytes.
pub(crate) const KEY_BYTES: usize = 32;

/// A key that encrypts and decrypts logins.
pub(crate) struct SealingKey(LessSafeKey);

impl SealingKey {
    /// The key with these bytes; `None` if their number is wrong.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        UnboundKey::new(&CHACHA20_POLY1305, bytes).ok().map(|key| Self(LessSafeKey::new(key)))
    }

    /// Random bytes for a new key.
    pub(crate) fn random_bytes() -> Result<[u8; KEY_BYTES], AuthError> {
        random()
    }

    /// Encrypts bytes and binds them to a place, which `open` must name again.
    pub(crate) fn seal(&self, place: &str, mut bytes: Vec<u8>) -> Result<Vec<u8>, AuthError> {
        let nonce = random::<NONCE_LEN>()?;
        let about = Aad::from(place.as_bytes());
        let unique = Nonce::assume_unique_for_key(nonce);
        let sealed = self.0.seal_in_place_append_tag(unique, about, &mut bytes);
        sealed.map_err(|_| AuthError::Store("it cannot be encrypted".into()))?;
        Ok([MAGIC, &nonce, &bytes].concat())
    }

    /// Decrypts what was sealed for this place; `None` for everything else.
    pub(crate) fn open(&self, place: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, bytes) = sealed.strip_prefix(MAGIC)?.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut bytes = bytes.to_vec();
        let opened = self.0.open_in_place(nonce, Aad::from(place.as_bytes()), &mut bytes).ok()?;
        Some(opened.to_vec())
    }
}

fn random<const N: usize>() -> Result<[u8; N], AuthError> {
    let mut bytes = [0; N];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| AuthError::Unavailable("this machine gives no random numbers".into()))?;
    Ok(bytes)
}
