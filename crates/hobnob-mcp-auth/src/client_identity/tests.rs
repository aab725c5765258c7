//! How a client proves itself, for every registration and every metadata.

use super::{ClientIdentity, ClientProof, TokenAuthMethod};
use crate::discovery::Abilities;
use crate::secret::SecretText;
use crate::signing_key::SigningKey;
use std::sync::Arc;

fn abilities(listed: Option<&[&str]>) -> Abilities {
    let methods = listed.map(|listed| listed.iter().map(|it| (*it).into()).collect());
    Abilities { token_endpoint_auth_methods_supported: methods, ..Abilities::default() }
}

fn client(proof: ClientProof, method: Option<&str>) -> ClientIdentity {
    ClientIdentity { id: "a:b c".into(), proof, method: method.map(Into::into) }
}

fn secret() -> ClientProof {
    ClientProof::Secret(SecretText::new("s/+é"))
}

#[test]
fn the_registration_decides_and_then_the_metadata() {
    use TokenAuthMethod::{Basic, Post, PrivateKeyJwt, Public};
    let key = || ClientProof::Key(Arc::new(SigningKey::generate().unwrap()));
    let cases = [
        (client(secret(), None), None, Some(Basic)),
        (client(secret(), None), Some(&["none"] as &[_]), Some(Public)),
        (client(secret(), None), Some(&["client_secret_post", "none"]), Some(Post)),
        (client(secret(), None), Some(&["client_secret_post", "client_secret_basic"]), Some(Basic)),
        (client(secret(), Some("client_secret_post")), None, Some(Post)),
        (client(secret(), Some("none")), Some(&["client_secret_basic"]), Some(Public)),
        (client(secret(), Some("tls_client_auth")), None, None),
        (client(secret(), None), Some(&["private_key_jwt"]), None),
        (client(ClientProof::Public, Some("client_secret_basic")), None, Some(Public)),
        (client(key(), None), Some(&["client_secret_basic"]), Some(PrivateKeyJwt)),
    ];
    for (client, listed, expected) in cases {
        assert_eq!(client.method(&abilities(listed)).ok(), expected, "{client:?} {listed:?}");
    }
}

#[test]
fn basic_encodes_both_halves_first() {
    let parts = client(secret(), None).parts(&abilities(None), "https://as.example", 1).unwrap();
    // a%3Ab+c:s%2F%2B%C3%A9
    let expected = "Basic YSUzQWIrYzpzJTJGJTJCJUMzJUE5";
    assert_eq!(parts.authorization.unwrap().expose(), expected);
    assert!(parts.parameters.is_empty());
}

#[test]
fn a_public_client_sends_its_id_and_nothing_else() {
    let client = client(ClientProof::Public, None);
    let parts = client.parts(&abilities(None), "https://as.example", 1).unwrap();
    assert!(parts.authorization.is_none());
    assert_eq!(parts.parameters, [("client_id", SecretText::new("a:b c"))]);
}
