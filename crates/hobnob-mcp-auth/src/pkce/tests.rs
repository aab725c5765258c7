//! A29: the challenge is the digest of its verifier, as in the example of RFC 7636.

use super::PkceVerifier;
use crate::secret::SecretText;

#[test]
fn the_challenge_is_that_of_the_rfc() {
    let verifier = PkceVerifier(SecretText::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"));
    assert_eq!(verifier.challenge(), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
}

#[test]
fn every_login_has_a_verifier_of_its_own() {
    let (one, other) = (PkceVerifier::generate().unwrap(), PkceVerifier::generate().unwrap());
    assert_ne!(one.challenge(), other.challenge());
    assert!(43 <= one.into_secret().expose().len());
}
