//! PKCE (RFC 7636): who redeems a code is who asked for it.
//!
//! An authorization request makes one and its token request spends it. Only `S256` exists here.

use ring::digest::{SHA256, digest};

use crate::encoding::{base64url, random_text};
use crate::error::AuthError;
use crate::secret::SecretText;

#[cfg(test)]
mod tests;

/// The secret half; its digest goes ahead of it.
#[derive(Debug)]
pub struct PkceVerifier(SecretText);

impl PkceVerifier {
    /// A verifier that nobody can guess.
    pub fn generate() -> Result<Self, AuthError> {
        Ok(Self(SecretText::new(random_text()?)))
    }

    /// What the authorization request shows: the digest of the verifier.
    pub fn challenge(&self) -> String {
        base64url(digest(&SHA256, self.0.expose().as_bytes()).as_ref())
    }

    /// What the token request sends.
    pub fn into_secret(self) -> SecretText {
        self.0
    }
}
