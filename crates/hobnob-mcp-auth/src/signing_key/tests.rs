//! Signatures that the public half verifies, and files that are no keys.

use super::{KeyPair, SigningKey};
use crate::secret::SecretText;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair,
    Ed25519KeyPair, KeyPair as _, UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Map, Value, json};

fn pem(der: &[u8]) -> SecretText {
    let body = STANDARD.encode(der);
    let (one, two) = body.split_at(30);
    SecretText::new(format!(
        "-----BEGIN PRIVATE KEY-----\n{one}\n{two}\n-----END PRIVATE KEY-----\n"
    ))
}

fn check(
    key: &SigningKey,
    public: &[u8],
    algorithm: &'static dyn VerificationAlgorithm,
    name: &str,
) {
    let Value::Object(claims) = json!({ "sub": "me" }) else { unreachable!() };
    let jwt = key.sign_jwt(Map::new(), &claims).unwrap();
    let (signed, signature) = jwt.expose().rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    UnparsedPublicKey::new(algorithm, public).verify(signed.as_bytes(), &signature).unwrap();
    let (header, payload) = signed.split_once('.').unwrap();
    let read =
        |part| serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap();
    assert_eq!(read(header), json!({ "alg": name, "kid": "k1" }));
    assert_eq!(read(payload), json!({ "sub": "me" }));
}

#[test]
fn what_is_signed_can_be_verified() {
    let random = SystemRandom::new();
    let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let der = EcdsaKeyPair::generate_pkcs8(curve, &random).unwrap();
    let public = EcdsaKeyPair::from_pkcs8(curve, der.as_ref(), &random).unwrap();
    let key = SigningKey::from_pem(&pem(der.as_ref())).unwrap().with_id("k1");
    check(&key, public.public_key().as_ref(), &ECDSA_P256_SHA256_FIXED, "ES256");

    let der = Ed25519KeyPair::generate_pkcs8(&random).unwrap();
    let public = Ed25519KeyPair::from_pkcs8(der.as_ref()).unwrap();
    let key = SigningKey::from_pem(&pem(der.as_ref())).unwrap().with_id("k1");
    check(&key, public.public_key().as_ref(), &ED25519, "EdDSA");
}

#[test]
fn files_that_are_no_keys_are_settings_to_correct() {
    for text in ["", "-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----"] {
        assert!(SigningKey::from_pem(&SecretText::new(text)).is_err(), "{text}");
    }
    assert!(SigningKey::from_pem(&pem(&[48; 64])).is_err());
    assert!(KeyPair::from_der(b"").is_none());
}

#[test]
fn keys_show_nothing_of_themselves() {
    let key = SigningKey::generate().unwrap();
    assert_eq!(format!("{key:?}"), "SigningKey(ES256)");
    assert_eq!(key.public_jwk().unwrap().len(), 4);
}
