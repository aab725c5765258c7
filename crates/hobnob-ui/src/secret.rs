//! Random secrets of the page: the tokens of links, cookies and requests. `links` and `sessions`
//! make them and keep only their digests.
//!
//! What must stay true: 256 bits from the system's generator, and comparisons take the same time
//! wherever two digests differ.

use hobnob_mcp_engine::{NoRandomness, random_bytes};
use hobnob_text::hex;
use ring::digest::{SHA256, digest};
use std::hint::black_box;

/// A secret as 64 hexadecimal digits. It is neither `Debug` nor `Display`.
pub(crate) struct PageSecret(Box<str>);

impl PageSecret {
    pub(crate) fn new() -> Result<Self, NoRandomness> {
        Ok(Self(hex::encode(&random_bytes::<32>()?).into()))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    pub(crate) fn digest(&self) -> SecretDigest {
        SecretDigest::of(&self.0)
    }
}

/// The SHA-256 of a secret: what is kept of it, and what is compared.
#[derive(Clone, Copy)]
pub(crate) struct SecretDigest([u8; 32]);

impl SecretDigest {
    /// The digest of a text that a request presents as a secret.
    pub(crate) fn of(text: &str) -> Self {
        let mut bytes = [0; 32];
        let hashed = digest(&SHA256, text.as_bytes());
        bytes.iter_mut().zip(hashed.as_ref()).for_each(|(byte, hashed)| *byte = *hashed);
        Self(bytes)
    }

    /// Whether both are digests of the same secret, in constant time.
    pub(crate) fn is(&self, other: &Self) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        pairs.fold(0, |difference, (one, two)| black_box(difference | (one ^ two))) == 0
    }
}
