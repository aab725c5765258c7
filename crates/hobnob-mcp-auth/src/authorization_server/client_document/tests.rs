//! Addresses that are client ids or not, and documents that describe a client or do not.

use super::{is_document_address, read};
use serde_json::{Value, json};

const ID: &str = "https://claude.ai/oauth/claude-code-client-metadata";

#[test]
fn an_id_is_an_address_as_the_draft_has_it() {
    for good in
        [ID, "https://vscode.dev/oauth/client-metadata.json", "https://a.example:8443/x?y=z"]
    {
        assert!(is_document_address(good), "{good}");
    }
    let bad = [
        "",
        "client-1",
        "http://claude.ai/client",
        "https://claude.ai",
        "https://claude.ai/",
        "https://user@claude.ai/client",
        "https://user:pw@claude.ai/client",
        "https://claude.ai/client#part",
        "https://claude.ai/a/../client",
        "https://claude.ai/./client",
        "https://CLAUDE.ai/client",
        "https://claude.ai:443/client",
        "https://claude.ai/client\n",
        "javascript:alert(1)",
    ];
    for id in bad {
        assert!(!is_document_address(id), "{id}");
    }
    assert!(!is_document_address(&format!("https://a.example/{}", "x".repeat(1024))));
}

fn document() -> Value {
    json!({
        "client_id": ID,
        "client_name": "Claude <Code>\u{202e}",
        "redirect_uris": ["http://127.0.0.1/callback", "http://localhost/callback"],
        "grant_types": ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
        "unknown": true,
    })
}

#[test]
fn a_document_describes_the_client_at_its_own_address() {
    let client = read(ID, document().to_string().as_bytes()).unwrap();
    assert_eq!(&*client.name, "Claude <Code>");
    assert_eq!(&*client.host, "claude.ai");
    assert_eq!(client.redirects.len(), 2);
}

#[test]
fn a_document_that_breaks_a_rule_is_no_client() {
    let cases = [
        ("client_id", json!("https://claude.ai/oauth/other")),
        ("client_id", json!(format!("{ID}/"))),
        ("client_id", Value::Null),
        ("client_name", Value::Null),
        ("redirect_uris", json!([])),
        ("redirect_uris", json!(["http://evil.example/cb"])),
        ("redirect_uris", json!(["https://a.example/cb", "javascript:x"])),
        ("redirect_uris", json!(vec!["https://a.example/cb"; 41])),
        ("token_endpoint_auth_method", json!("client_secret_post")),
        ("padding", json!("x".repeat(5 * 1024))),
    ];
    for (member, value) in cases {
        let mut document = document();
        document[member] = value.clone();
        assert!(read(ID, document.to_string().as_bytes()).is_err(), "{member}: {value}");
    }
    assert!(read(ID, b"<html>").is_err());
}
