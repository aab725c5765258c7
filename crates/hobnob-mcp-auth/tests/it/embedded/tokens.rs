//! A28, A29: a code counts once, for its client and with its verifier; and the use of tokens.

use super::browser::{Browser, REDIRECT, VERIFIER, changed, sent_back, tokens};
use super::login_server::{ISSUER, LoginServer, RESOURCE};
use hobnob_mcp_auth::resource_server::{TokenRefusal, TokenVerifier as _};
use std::sync::Arc;
use tokio::task::JoinSet;

/// The owner and the scopes of a token, or its refusal.
async fn owner(server: &LoginServer, token: &str, resource: &str) -> Result<String, TokenRefusal> {
    let verified = server.server.verify(token, resource).await?;
    Ok(format!("{} {}", verified.principal.as_str(), verified.scopes.to_text()))
}

#[tokio::test]
async fn a_login_gives_tokens_for_one_resource_and_one_hour() {
    let server = LoginServer::new().await;
    let (client, code) = server.client_and_code().await;
    let answer = server.redeem(&client, &code).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("access-control-allow-origin"), "*");
    let json = answer.json();
    assert_eq!((&json["token_type"], &json["expires_in"]), (&"Bearer".into(), &3600.into()));
    assert_eq!((&json["scope"], &json["iss"]), (&"read call".into(), &ISSUER.into()));
    let (access, refresh) = tokens(&answer);
    assert_eq!(owner(&server, &access, RESOURCE).await, Ok("ann read call".into()));
    let refused = [
        (access.as_str(), "https://hub.example/p/team/mcp", TokenRefusal::OtherAudience),
        (access.as_str(), "https://hub.example/mcp/", TokenRefusal::OtherAudience),
        (refresh.as_str(), RESOURCE, TokenRefusal::Unknown),
        (code.as_str(), RESOURCE, TokenRefusal::Unknown),
        ("", RESOURCE, TokenRefusal::Unknown),
        (&access[..access.len() - 1], RESOURCE, TokenRefusal::Unknown),
    ];
    for (token, resource, expected) in refused {
        assert_eq!(owner(&server, token, resource).await, Err(expected));
    }
    assert_eq!(owner(&server, &"x".repeat(1 << 20), RESOURCE).await, Err(TokenRefusal::Unknown));
    server.pass(3599);
    assert!(owner(&server, &access, RESOURCE).await.is_ok());
    server.pass(1);
    assert_eq!(owner(&server, &access, RESOURCE).await, Err(TokenRefusal::Expired));
}

#[tokio::test]
async fn a_code_counts_only_as_it_was_given() {
    let server = LoginServer::new().await;
    let (client, code) = server.client_and_code().await;
    let other = server.public_client(&[REDIRECT]).await;
    let wrong_verifier = "another-verifier-0123456789-0123456789-0123456789";
    let challenge = super::browser::challenge(VERIFIER);
    let cases = [
        ("code_verifier", wrong_verifier, "invalid_grant"),
        ("code_verifier", &challenge, "invalid_grant"),
        ("code_verifier", "", "invalid_request"),
        ("code_verifier", "short", "invalid_request"),
        ("redirect_uri", "https://client.example/other", "invalid_grant"),
        ("client_id", &other, "invalid_grant"),
        ("code", "hobc_wrong", "invalid_grant"),
        ("code", "", "invalid_request"),
        ("resource", "https://hub.example/p/team/mcp", "invalid_target"),
        ("resource", "https://evil.example/", "invalid_target"),
        ("grant_type", "", "invalid_request"),
        ("grant_type", "password", "unsupported_grant_type"),
        ("grant_type", "client_credentials", "unsupported_grant_type"),
    ];
    for (name, value, expected) in cases {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("client_id", client.as_str()),
            ("code", &code),
            ("redirect_uri", REDIRECT),
            ("code_verifier", VERIFIER),
            ("resource", RESOURCE),
        ];
        form.retain(|(it, _)| *it != name);
        form.push((name, value));
        let answer = server.post("/oauth/token", &form).await;
        assert_eq!(answer.error(), expected, "{name}={value}");
        assert_eq!(answer.json()["iss"], ISSUER);
        assert!(!answer.text.contains(&code), "{name}={value}");
    }
    assert_eq!(server.redeem(&client, &code).await.status, 200);
}

#[tokio::test]
async fn a_code_ends_after_a_minute() {
    for (seconds, status) in [(59, 200), (60, 400), (61, 400)] {
        let server = LoginServer::new().await;
        let (client, code) = server.client_and_code().await;
        server.pass(seconds);
        assert_eq!(server.redeem(&client, &code).await.status, status, "{seconds}");
    }
}

#[tokio::test]
async fn a_code_that_comes_again_ends_what_it_was_redeemed_for() {
    // At once, after the code's own minute, and by an attacker who has only the code.
    for (seconds, verifier) in [(0, VERIFIER), (3000, VERIFIER), (0, &"y".repeat(43) as &str)] {
        let server = LoginServer::new().await;
        let (client, code) = server.client_and_code().await;
        let (access, refresh) = tokens(&server.redeem(&client, &code).await);
        let before = server.server.revocations();
        server.pass(seconds);
        server.store.purge(server.now()).await.unwrap();
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", &client),
            ("code", &code),
            ("code_verifier", verifier),
        ];
        assert_eq!(server.post("/oauth/token", &form).await.error(), "invalid_grant");
        assert_eq!(owner(&server, &access, RESOURCE).await, Err(TokenRefusal::Unknown));
        assert_eq!(server.refresh(&client, &refresh).await.error(), "invalid_grant");
        assert_ne!(server.server.revocations(), before);
        assert!(server.events().contains(&"grant_revoked_after_replay".to_owned()));
    }
}

#[tokio::test]
async fn of_ten_that_redeem_a_code_at_once_one_gets_tokens() {
    let server = Arc::new(LoginServer::new().await);
    let (client, code) = server.client_and_code().await;
    let mut all = JoinSet::new();
    for _ in 0..10 {
        let (server, client, code) = (Arc::clone(&server), client.clone(), code.clone());
        all.spawn(async move { server.redeem(&client, &code).await.status });
    }
    let good = all.join_all().await.into_iter().filter(|status| *status == 200).count();
    assert_eq!(good, 1);
}

#[tokio::test]
async fn a_client_gives_back_its_own_tokens() {
    let server = LoginServer::new().await;
    let (client, access, refresh) = server.logged_in().await;
    let other = server.public_client(&[REDIRECT]).await;
    let revoke = async |client: &str, token: &str| {
        server.post("/oauth/revoke", &[("client_id", client), ("token", token)]).await.status
    };
    // Revoking another client's token has no effect and looks like revoking an unknown one.
    assert_eq!(revoke(&other, &refresh).await, 200);
    assert_eq!(revoke(&other, &access).await, 200);
    assert_eq!(revoke("client-unknown", &access).await, 401);
    assert!(owner(&server, &access, RESOURCE).await.is_ok());
    // An access token is revoked by itself.
    assert_eq!(revoke(&client, &access).await, 200);
    assert_eq!(owner(&server, &access, RESOURCE).await, Err(TokenRefusal::Unknown));
    let (access, refresh) = tokens(&server.refresh(&client, &refresh).await);
    // A refresh token is revoked with its whole grant.
    let before = server.server.revocations();
    assert_eq!(revoke(&client, &refresh).await, 200);
    assert_ne!(server.server.revocations(), before);
    assert_eq!(owner(&server, &access, RESOURCE).await, Err(TokenRefusal::Unknown));
    assert_eq!(server.refresh(&client, &refresh).await.error(), "invalid_grant");
    assert_eq!(revoke(&client, "unknown").await, 200);
}

#[tokio::test]
async fn each_resource_has_tokens_of_its_own() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let team = "https://hub.example/p/team/mcp";
    let page = browser.page(&changed(&client, "resource", team)).await;
    let code = sent_back(&browser.allow(&page).await, REDIRECT)["code"].clone();
    let refused = server.redeem(&client, &code).await;
    assert_eq!(refused.error(), "invalid_target");
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", &client),
        ("code", &code),
        ("code_verifier", VERIFIER),
        ("resource", team),
    ];
    let (access, _) = tokens(&server.post("/oauth/token", &form).await);
    assert_eq!(owner(&server, &access, RESOURCE).await, Err(TokenRefusal::OtherAudience));
    assert_eq!(owner(&server, &access, team).await, Ok("ann read call".into()));
}

#[tokio::test]
async fn what_is_no_form_is_refused() {
    let server = LoginServer::new().await;
    let json = http::Request::post("/oauth/token").header("content-type", "application/json");
    let json = json.body(bytes::Bytes::from_static(b"{}")).unwrap();
    assert_eq!(server.send(json).await.error(), "invalid_request");
    let twice = [("grant_type", "refresh_token"), ("client_id", "a"), ("client_id", "b")];
    assert_eq!(server.post("/oauth/token", &twice).await.error(), "invalid_request");
}
