//! Proofs of possession (RFC 9449, DPoP): a token is useless without the key it was issued to.
//!
//! This is the client's side, which makes the proofs. It is a draft of the protocol's extensions,
//! off unless the settings turn it on. Each grant has its own key, and each request its own proof.

use reqwest::Url;
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};

use crate::encoding::{base64url, random_text};
use crate::error::AuthError;
use crate::secret::SecretText;
use crate::signing_key::SigningKey;

#[cfg(test)]
mod tests;

/// The key of one grant.
#[derive(Debug)]
pub(crate) struct PossessionKey {
    key: SigningKey,
    jwk: Map<String, Value>,
}

/// The request that a proof is for.
pub(crate) struct ProvedRequest<'a> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a Url,
    /// The access token of the request, if it has one already.
    pub(crate) token: Option<&'a SecretText>,
    /// The nonce that the server wants in the next proof.
    pub(crate) nonce: Option<&'a str>,
    pub(crate) now: u64,
}

impl PossessionKey {
    pub(crate) fn generate() -> Result<Self, AuthError> {
        let key = SigningKey::generate()?;
        let jwk = key.public_jwk();
        let jwk = jwk.ok_or_else(|| AuthError::Unavailable("the key has no public half".into()))?;
        Ok(Self { key, jwk })
    }

    /// Creates the proof for one request.
    pub(crate) fn prove(&self, request: &ProvedRequest<'_>) -> Result<SecretText, AuthError> {
        let mut header = Map::new();
        header.insert("typ".into(), "dpop+jwt".into());
        header.insert("jwk".into(), Value::Object(self.jwk.clone()));
        let mut place = request.url.clone();
        place.set_query(None);
        place.set_fragment(None);
        let mut claims = Map::new();
        claims.insert("jti".into(), random_text()?.into());
        claims.insert("htm".into(), request.method.into());
        claims.insert("htu".into(), String::from(place).into());
        claims.insert("iat".into(), request.now.into());
        if let Some(token) = request.token {
            let hash = base64url(digest(&SHA256, token.expose().as_bytes()).as_ref());
            claims.insert("ath".into(), hash.into());
        }
        if let Some(nonce) = request.nonce {
            claims.insert("nonce".into(), nonce.into());
        }
        self.key.sign_jwt(header, &claims)
    }
}
