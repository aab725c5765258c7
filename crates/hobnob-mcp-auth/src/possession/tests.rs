//! What a proof contains, and that no two proofs are the same.

use super::{PossessionKey, ProvedRequest};
use crate::secret::SecretText;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use serde_json::Value;

#[test]
fn a_proof_names_the_request_the_token_and_the_nonce() {
    let key = PossessionKey::generate().unwrap();
    let url = Url::parse("https://mcp.example/mcp?secret=1").unwrap();
    let token = SecretText::new("token");
    let request =
        ProvedRequest { method: "POST", url: &url, token: Some(&token), nonce: Some("n"), now: 7 };
    let (one, other) = (key.prove(&request).unwrap(), key.prove(&request).unwrap());
    assert!(one != other);
    let parts: Vec<_> = one.expose().split('.').collect();
    let read =
        |part| -> Value { serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap() };
    let (header, claims) = (read(parts[0]), read(parts[1]));
    assert_eq!(header["typ"], "dpop+jwt");
    assert_eq!(header["jwk"]["kty"], "EC");
    assert!(header["jwk"]["d"].is_null());
    assert_eq!(claims["htu"], "https://mcp.example/mcp");
    assert_eq!(claims["htm"], "POST");
    assert_eq!(claims["nonce"], "n");
    assert_eq!(claims["iat"], 7);
    // The digest of `token`.
    assert_eq!(claims["ath"], "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A");
}
