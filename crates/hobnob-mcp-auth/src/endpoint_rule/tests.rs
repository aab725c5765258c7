//! URLs that a server may name, and URLs that it may not.

use super::EndpointRule::{self, Encrypted, EncryptedOrLocal};
use reqwest::Url;

#[test]
fn only_encrypted_urls_pass_and_local_ones_for_local_servers() {
    let cases = [
        ("https://as.example/authorize?x=1", Encrypted, true),
        ("http://as.example/", Encrypted, false),
        ("http://as.example/", EncryptedOrLocal, false),
        ("http://127.0.0.1:9/", Encrypted, false),
        ("http://127.0.0.1:9/", EncryptedOrLocal, true),
        ("http://localhost:9/", EncryptedOrLocal, true),
        ("http://localhost.evil.example/", EncryptedOrLocal, false),
        ("https://user@as.example/", Encrypted, false),
        ("https://as.example/#x", Encrypted, false),
        ("javascript:alert(1)", EncryptedOrLocal, false),
        ("file:///etc/passwd", EncryptedOrLocal, false),
        ("data:text/html,x", EncryptedOrLocal, false),
        ("$(touch x)", EncryptedOrLocal, false),
        ("-u", EncryptedOrLocal, false),
        ("", EncryptedOrLocal, false),
    ];
    for (text, rule, passes) in cases {
        assert_eq!(rule.check(text, "endpoint").is_ok(), passes, "{text} {rule:?}");
    }
    let long = format!("https://as.example/{}", "a".repeat(5000));
    assert!(Encrypted.check(&long, "endpoint").is_err());
}

#[test]
fn the_rule_follows_from_where_the_server_is() {
    let rule = |url: &str| EndpointRule::for_server(&Url::parse(url).unwrap());
    assert_eq!(rule("http://127.0.0.1:1/mcp"), EncryptedOrLocal);
    assert_eq!(rule("https://mcp.example/mcp"), Encrypted);
}
