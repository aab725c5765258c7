//! Signing keys: for a client's assertions, and for proofs of possession.
//!
//! The settings pass in a PEM file; proofs generate their own keys. What must stay true: the
//! private half never leaves this file.

use std::fmt;

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Map, Value};

use crate::encoding::{base64url, from_base64};
use crate::error::AuthError;
use crate::secret::SecretText;

#[cfg(test)]
mod tests;

/// A private key that signs JWTs.
pub struct SigningKey {
    pair: KeyPair,
    /// The id of the key, if the client has several.
    id: Option<Box<str>>,
}

enum KeyPair {
    P256(EcdsaKeyPair),
    P384(EcdsaKeyPair),
    Rsa(RsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl SigningKey {
    /// Reads a private key as PKCS#8 in PEM: P-256, P-384, RSA or Ed25519.
    pub fn from_pem(pem: &SecretText) -> Result<Self, AuthError> {
        let bad =
            |why: &str| AuthError::Setting(format!("the private key cannot be used: {why}").into());
        let text = pem.expose();
        let body = text
            .split_once("-----BEGIN PRIVATE KEY-----")
            .and_then(|(_, rest)| rest.split_once("-----END PRIVATE KEY-----"))
            .ok_or_else(|| bad("it is no PEM file that begins with BEGIN PRIVATE KEY"))?;
        let der = from_base64(body.0).ok_or_else(|| bad("its base64 is broken"))?;
        let pair = KeyPair::from_der(&der)
            .ok_or_else(|| bad("it is neither P-256, P-384, RSA of 2048 bits nor Ed25519"))?;
        Ok(Self { pair, id: None })
    }

    /// A new key on the curve P-256, for one grant.
    pub(crate) fn generate() -> Result<Self, AuthError> {
        let failed = || AuthError::Unavailable("this machine makes no keys".into());
        let (random, curve) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let der = EcdsaKeyPair::generate_pkcs8(curve, &random).map_err(|_| failed())?;
        let pair = EcdsaKeyPair::from_pkcs8(curve, der.as_ref(), &random).map_err(|_| failed())?;
        Ok(Self { pair: KeyPair::P256(pair), id: None })
    }

    /// Gives the key an id, which its signatures then carry.
    #[must_use]
    pub fn with_id(self, id: impl Into<Box<str>>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// The public half as a JWK; only for keys on P-256, which proofs use.
    pub(crate) fn public_jwk(&self) -> Option<Map<String, Value>> {
        let KeyPair::P256(pair) = &self.pair else { return None };
        // An uncompressed point: a marker, then both coordinates.
        let point = pair.public_key().as_ref();
        let (x, y) = (point.get(1..33)?, point.get(33..65)?);
        let members = [
            ("crv", "P-256".into()),
            ("kty", "EC".into()),
            ("x", base64url(x)),
            ("y", base64url(y)),
        ];
        Some(members.into_iter().map(|(name, value)| (name.into(), Value::String(value))).collect())
    }

    /// A signed JWT with these claims; `alg` and `kid` are added to the header.
    pub(crate) fn sign_jwt(
        &self,
        mut header: Map<String, Value>,
        claims: &Map<String, Value>,
    ) -> Result<SecretText, AuthError> {
        header.insert("alg".into(), self.pair.algorithm().into());
        if let Some(id) = &self.id {
            header.insert("kid".into(), (&**id).into());
        }
        let part = |object: &Map<String, Value>| {
            let text = serde_json::to_string(object).unwrap_or_default();
            base64url(text.as_bytes())
        };
        let signed = format!("{}.{}", part(&header), part(claims));
        let signature = self.pair.sign(signed.as_bytes());
        let signature = signature
            .ok_or_else(|| AuthError::Unavailable("the private key does not sign".into()))?;
        Ok(SecretText::new(format!("{signed}.{}", base64url(&signature))))
    }
}

impl KeyPair {
    fn from_der(der: &[u8]) -> Option<Self> {
        let random = SystemRandom::new();
        let ecdsa = |curve| EcdsaKeyPair::from_pkcs8(curve, der, &random).ok();
        ecdsa(&ECDSA_P256_SHA256_FIXED_SIGNING)
            .map(Self::P256)
            .or_else(|| ecdsa(&ECDSA_P384_SHA384_FIXED_SIGNING).map(Self::P384))
            .or_else(|| RsaKeyPair::from_pkcs8(der).ok().map(Self::Rsa))
            .or_else(|| Ed25519KeyPair::from_pkcs8_maybe_unchecked(der).ok().map(Self::Ed25519))
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Self::P256(_) => "ES256",
            Self::P384(_) => "ES384",
            Self::Rsa(_) => "RS256",
            Self::Ed25519(_) => "EdDSA",
        }
    }

    fn sign(&self, message: &[u8]) -> Option<Vec<u8>> {
        let random = SystemRandom::new();
        match self {
            Self::P256(pair) | Self::P384(pair) => {
                pair.sign(&random, message).ok().map(|signature| signature.as_ref().to_vec())
            }
            Self::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).ok()?;
                Some(signature)
            }
            Self::Ed25519(pair) => Some(pair.sign(message).as_ref().to_vec()),
        }
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.pair.algorithm())
    }
}
