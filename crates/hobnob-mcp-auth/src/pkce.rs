//! PKCE (RFC 7636): proves that the client that redeems a code is the one that requested it.
//!
//! Each authorization request creates a verifier for its token request. Only `S256` is supported.

use ring::digest::{SHA256, digest};

use crate::encoding::{base64url, random_text};
use crate::error::AuthError;
use crate::secret::SecretText;

#[cfg(test)]
mod tests;

/// The PKCE verifier, a secret; the authorization request shows only its digest.
#[derive(Debug)]
pub struct PkceVerifier(SecretText);

impl PkceVerifier {
    /// Generates a verifier with 256 random bits.
    pub fn generate() -> Result<Self, AuthError> {
        Ok(Self(SecretText::new(random_text()?)))
    }

    /// The challenge for the authorization request: the SHA-256 digest of the verifier.
    pub fn challenge(&self) -> String {
        base64url(digest(&SHA256, self.0.expose().as_bytes()).as_ref())
    }

    /// The verifier for the token request.
    pub fn into_secret(self) -> SecretText {
        self.0
    }
}
