//! When a token is renewed.

use super::renew_at;
use crate::grant_store::{RegisteredClient, StoredGrant};
use crate::scopes::Scopes;
use crate::secret::SecretText;

fn grant(issued_at: u64, expires_at: Option<u64>) -> StoredGrant {
    StoredGrant {
        access_token: SecretText::new("a"),
        issued_at,
        expires_at,
        refresh_token: None,
        scopes: Scopes::default(),
        issuer: "https://as.example".into(),
        resource: None,
        client: RegisteredClient {
            id: "c".into(),
            secret: None,
            method: None,
            secret_expires_at: None,
        },
        redirect: None,
        token_endpoint: "https://as.example/token".into(),
        revocation_endpoint: None,
    }
}

#[test]
fn a_token_is_renewed_a_tenth_of_its_life_before_its_end() {
    let cases = [
        // issued, ends, jitter: renewed
        (0, Some(3600), 0, Some(3240)),
        (0, Some(3600), 10, Some(3230)),
        (1000, Some(1300), 0, Some(1240)),
        (0, Some(40), 0, Some(20)),
        (0, None, 0, None),
        (100, Some(50), 0, Some(50)),
    ];
    for (issued, ends, jitter, expected) in cases {
        assert_eq!(renew_at(&grant(issued, ends), jitter), expected, "{issued} {ends:?}");
    }
}
