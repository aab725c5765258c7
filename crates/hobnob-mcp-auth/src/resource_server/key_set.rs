//! The public keys of an issuer, as a JSON Web Key Set (RFC 7517), and signature checks with them.
//!
//! The keys are parsed once after each fetch. What must stay true: a key checks only signatures of
//! its own kind, even if a token names another algorithm.

use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PSS_2048_8192_SHA256, RsaPublicKeyComponents, UnparsedPublicKey,
};
use serde::Deserialize;

use super::jwt_algorithm::JwtAlgorithm;
use crate::encoding::from_base64url;

#[cfg(test)]
mod tests;

/// How many keys of one issuer are stored.
const MAX_KEYS: usize = 64;

/// The public keys of one issuer.
#[derive(Debug, Default)]
pub(super) struct KeySet(Vec<PublicKey>);

/// A key of the issuer, for signatures of one kind.
#[derive(Debug)]
pub(super) struct PublicKey {
    /// The key's id. An issuer with only one key may omit it.
    id: Option<Box<str>>,
    /// The algorithm that the set restricts the key to, if it names one.
    algorithm: Option<Box<str>>,
    bytes: KeyBytes,
}

#[derive(Debug)]
enum KeyBytes {
    Rsa { modulus: Vec<u8>, exponent: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

#[derive(Deserialize)]
struct JwkSet {
    keys: Vec<serde_json::Value>,
}

/// A key as JSON. Other members, such as certificates and URLs, are ignored.
#[derive(Deserialize)]
struct Jwk {
    kty: Box<str>,
    #[serde(default)]
    kid: Option<Box<str>>,
    #[serde(default, rename = "use")]
    purpose: Option<Box<str>>,
    #[serde(default)]
    alg: Option<Box<str>>,
    #[serde(default)]
    crv: Option<Box<str>>,
    #[serde(default)]
    n: Option<Box<str>>,
    #[serde(default)]
    e: Option<Box<str>>,
    #[serde(default)]
    x: Option<Box<str>>,
    #[serde(default)]
    y: Option<Box<str>>,
}

impl KeySet {
    /// Parses a set and leaves out keys that cannot be used. `None` if the document is no set.
    pub(super) fn parse(document: &[u8]) -> Option<Self> {
        let written: JwkSet = serde_json::from_slice(document).ok()?;
        let keys = written.keys.into_iter().take(MAX_KEYS);
        let read = |key| PublicKey::read(serde_json::from_value(key).ok()?);
        Some(Self(keys.filter_map(read).collect()))
    }

    /// The key with this id, if it fits the algorithm. Without an id, the only key that fits the
    /// algorithm; if several fit, none, since trying them in turn would let the signature choose.
    pub(super) fn find(&self, id: Option<&str>, algorithm: JwtAlgorithm) -> Option<&PublicKey> {
        let mut fitting = self.0.iter().filter(|key| key.fits(algorithm));
        match id {
            Some(_) => fitting.find(|key| key.id.as_deref() == id),
            None => fitting.next().filter(|_| fitting.next().is_none()),
        }
    }
}

impl PublicKey {
    fn read(written: Jwk) -> Option<Self> {
        if written.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let part = |text: &Option<Box<str>>| from_base64url(text.as_deref()?);
        let point = |length: usize| {
            let (x, y) = (part(&written.x)?, part(&written.y)?);
            // An uncompressed point: a marker, then both coordinates.
            (x.len() == length && y.len() == length).then(|| [&[4], &*x, &*y].concat())
        };
        let bytes = match (&*written.kty, written.crv.as_deref()) {
            ("RSA", _) => KeyBytes::Rsa { modulus: part(&written.n)?, exponent: part(&written.e)? },
            ("EC", Some("P-256")) => KeyBytes::P256(point(32)?),
            ("EC", Some("P-384")) => KeyBytes::P384(point(48)?),
            ("OKP", Some("Ed25519")) => KeyBytes::Ed25519(part(&written.x)?),
            _ => return None,
        };
        Some(Self { id: written.kid, algorithm: written.alg, bytes })
    }

    fn fits(&self, algorithm: JwtAlgorithm) -> bool {
        let kind = match (&self.bytes, algorithm) {
            (KeyBytes::Rsa { .. }, JwtAlgorithm::Rs256 | JwtAlgorithm::Ps256)
            | (KeyBytes::P256(_), JwtAlgorithm::Es256)
            | (KeyBytes::P384(_), JwtAlgorithm::Es384)
            | (KeyBytes::Ed25519(_), JwtAlgorithm::EdDsa) => true,
            (
                KeyBytes::Rsa { .. } | KeyBytes::P256(_) | KeyBytes::P384(_) | KeyBytes::Ed25519(_),
                JwtAlgorithm::Rs256
                | JwtAlgorithm::Ps256
                | JwtAlgorithm::Es256
                | JwtAlgorithm::Es384
                | JwtAlgorithm::EdDsa,
            ) => false,
        };
        let named = self.algorithm.as_deref().is_none_or(|name| name == algorithm.as_str());
        kind && named
    }

    /// Whether the signature is of this message and was made with this key.
    pub(super) fn verifies(
        &self,
        algorithm: JwtAlgorithm,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        let verified =
            match &self.bytes {
                KeyBytes::Rsa { modulus, exponent } => {
                    let scheme = match algorithm {
                        JwtAlgorithm::Ps256 => &RSA_PSS_2048_8192_SHA256,
                        JwtAlgorithm::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
                        JwtAlgorithm::Es256 | JwtAlgorithm::Es384 | JwtAlgorithm::EdDsa => {
                            return false;
                        }
                    };
                    RsaPublicKeyComponents { n: modulus, e: exponent }
                        .verify(scheme, message, signature)
                }
                KeyBytes::P256(point) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                    .verify(message, signature),
                KeyBytes::P384(point) => UnparsedPublicKey::new(&ECDSA_P384_SHA384_FIXED, point)
                    .verify(message, signature),
                KeyBytes::Ed25519(key) => {
                    UnparsedPublicKey::new(&ED25519, key).verify(message, signature)
                }
            };
        self.fits(algorithm) && verified.is_ok()
    }
}
