//! A20, A38: credentials of one server or issuer are not shown to another, and none is printed.

use crate::world::{SERVER, World, credentials, log_in, refuse};
use hobnob_mcp_auth::{ClientIdentity, SecretText};
use hobnob_mcp_http::client::{RequestAuthorizer as _, RequestToAuthorize};
use http::Method;
use reqwest::Url;

#[tokio::test]
async fn tokens_go_to_the_origin_they_were_got_for_only() {
    let world = World::new();
    let authorizer = world.builder().build();
    log_in(&authorizer).await;
    let cases = [
        (SERVER, true),
        ("https://mcp.example/elsewhere", true),
        ("https://evil.example/mcp", false),
        ("https://mcp.example:8443/mcp", false),
        ("http://mcp.example/mcp", false),
    ];
    for (url, shown) in cases {
        let url = Url::parse(url).unwrap();
        let request = RequestToAuthorize { method: &Method::POST, url: &url };
        let credentials = authorizer.credentials(request).await.unwrap();
        assert_eq!(credentials.headers.contains_key("authorization"), shown, "{url}");
    }
}

#[tokio::test]
async fn another_issuer_gets_a_registration_of_its_own() {
    let world = World::new();
    let authorizer = world.builder().build();
    log_in(&authorizer).await;
    world.happened().issuer = "https://other.example";
    // The refresh works, but the server no longer trusts its issuer.
    refuse(&authorizer, (401, "Bearer"), 0).await.unwrap();
    refuse(&authorizer, (401, "Bearer"), 1).await.unwrap();
    let happened = world.happened();
    assert_eq!(happened.registrations, ["as.example", "other.example"]);
    let (host, form) = happened.tokens.last().unwrap();
    assert_eq!(
        (host.as_str(), form["client_id"].as_str()),
        ("other.example", "other.example-client-2")
    );
}

#[tokio::test]
async fn the_client_of_the_settings_is_not_shown_to_another_issuer() {
    let world = World::new();
    let client = ClientIdentity::with_secret("mine", SecretText::new("canary-secret"));
    let authorizer = world.builder().client(client).build();
    log_in(&authorizer).await;
    assert_eq!(world.happened().tokens[0].1["client_secret"], "canary-secret");
    world.happened().issuer = "https://evil.example";
    refuse(&authorizer, (401, "Bearer"), 0).await.unwrap();
    let failed = refuse(&authorizer, (401, "Bearer"), 1).await.unwrap_err();
    assert!(failed.0.contains("another authorization server"), "{failed}");
    assert!(world.happened().tokens.iter().all(|(host, _)| host == "as.example"));
}

#[tokio::test]
async fn nothing_prints_a_secret() {
    let world = World::new();
    let client = ClientIdentity::with_secret("mine", SecretText::new("canary-secret"));
    let builder = world.builder().client(client.clone());
    let shown = format!("{builder:?} {client:?}");
    let authorizer = builder.build();
    log_in(&authorizer).await;
    let shown = format!("{shown} {authorizer:?} {:?}", credentials(&authorizer).await);
    assert!(!shown.contains("canary"), "{shown}");
}
