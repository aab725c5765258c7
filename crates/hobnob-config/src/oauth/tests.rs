//! Which objects are accepted, and the errors for the others.

use super::{EntryGrant, OAuthEntry};
use serde_json::json;

#[test]
fn what_other_hosts_write_is_read_and_what_they_add_is_ignored() {
    let entry = OAuthEntry::read(&json!({
        "clientId": "${ID}",
        "callbackPort": 8080,
        "authServerMetadataUrl": "https://as.example/.well-known/openid-configuration",
        "scopes": "read write",
        "resource": false,
        "parameters": { "prompt": "consent", "audience": "api" },
        "allowPrivate": ["as.internal"],
        "somethingElse": [1],
    }))
    .unwrap();
    assert_eq!(entry.text("clientId"), Some("${ID}"));
    assert_eq!(entry.callback_port, Some(8080));
    assert_eq!(entry.text("scopes"), Some("read write"));
    assert!(entry.resource_omitted);
    assert_eq!(entry.parameters[0].0, "audience");
    assert_eq!(entry.allow_private, ["as.internal"]);
    assert_eq!(entry.grant, EntryGrant::Person);
}

#[test]
fn what_is_wrong_is_named_and_never_quoted() {
    let cases = [
        (json!("canary"), "oauth", "is not an object"),
        (json!({ "clientId": 1 }), "oauth.clientId", "is not a string"),
        (json!({ "clientSecret": "" }), "oauth.clientSecret", "is empty"),
        (json!({ "callbackPort": 0 }), "oauth.callbackPort", "is not a port"),
        (json!({ "callbackPort": 70000 }), "oauth.callbackPort", "is not a port"),
        (json!({ "callbackPort": "8080" }), "oauth.callbackPort", "is not a port"),
        (json!({ "resource": true }), "oauth.resource", "is neither a string nor false"),
        (json!({ "parameters": { "a": 1 } }), "oauth.parameters.a", "is not a string"),
        (json!({ "allowPrivate": "x" }), "oauth.allowPrivate", "is not a list"),
        (json!({ "grant": "canary" }), "oauth.grant", "is neither"),
        (json!({ "grant": "client_credentials" }), "oauth.clientId", "is missing"),
        (
            json!({ "grant": "enterprise_managed", "clientId": "a" }),
            "oauth.identityProvider",
            "is missing",
        ),
        (
            json!({
                "grant": "enterprise_managed",
                "clientId": "a",
                "identityProvider": { "tokenUrl": "x", "clientId": "y" },
            }),
            "oauth.identityProvider.idTokenFile",
            "is missing",
        ),
    ];
    for (value, field, why) in cases {
        let (named, message) = OAuthEntry::read(&value).unwrap_err();
        assert_eq!(named, field, "{value}");
        assert!(message.starts_with(why), "{value}: {message}");
        assert!(!message.contains("canary"), "{message}");
    }
}
