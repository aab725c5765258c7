//! Refresh token rotation: each use replaces the token, with a minute of grace, and the reuse of an
//! old token ends its grant.

use super::browser::tokens;
use super::login_server::{LoginServer, RESOURCE};
use hobnob_mcp_auth::resource_server::TokenVerifier as _;
use std::sync::Arc;
use tokio::task::JoinSet;

#[tokio::test]
async fn an_old_token_works_until_its_successor_is_used() {
    let server = LoginServer::new().await;
    let (client, _, first) = server.logged_in().await;
    let (_, second) = tokens(&server.refresh(&client, &first).await);
    server.pass(60);
    // The answer was lost, or another process refreshed too: both successors work.
    let (_, sibling) = tokens(&server.refresh(&client, &first).await);
    assert_ne!(second, sibling);
    server.pass(3600);
    let (access, third) = tokens(&server.refresh(&client, &second).await);
    tokens(&server.refresh(&client, &sibling).await);
    assert!(server.server.verify(&access, RESOURCE).await.is_ok());
    tokens(&server.refresh(&client, &third).await);
}

#[tokio::test]
async fn an_old_token_that_comes_too_late_ends_the_family() {
    // After the grace period; after the successor was used; a sibling that was used too late.
    for case in ["late", "successor used", "sibling kept"] {
        let server = LoginServer::new().await;
        let (client, _, first) = server.logged_in().await;
        let (_, second) = tokens(&server.refresh(&client, &first).await);
        let stolen = match case {
            "late" => {
                server.pass(61);
                first.clone()
            }
            "successor used" => {
                tokens(&server.refresh(&client, &second).await);
                first.clone()
            }
            _ => {
                let (_, sibling) = tokens(&server.refresh(&client, &first).await);
                tokens(&server.refresh(&client, &second).await);
                server.pass(61);
                sibling
            }
        };
        assert_eq!(server.refresh(&client, &stolen).await.error(), "invalid_grant", "{case}");
        for token in [&first, &second] {
            assert_eq!(server.refresh(&client, token).await.error(), "invalid_grant", "{case}");
        }
        assert!(server.events().contains(&"grant_revoked_after_replay".to_owned()), "{case}");
    }
}

#[tokio::test]
async fn two_that_refresh_at_once_both_go_on() {
    let server = Arc::new(LoginServer::new().await);
    let (client, _, mut token) = server.logged_in().await;
    for _ in 0..20 {
        let mut all = JoinSet::new();
        for _ in 0..2 {
            let (server, client, token) = (Arc::clone(&server), client.clone(), token.clone());
            all.spawn(async move { tokens(&server.refresh(&client, &token).await) });
        }
        let pairs = all.join_all().await;
        for (access, _) in &pairs {
            assert!(server.server.verify(access, RESOURCE).await.is_ok());
        }
        token = pairs[1].1.clone();
        server.pass(3000);
    }
}

#[tokio::test]
async fn a_token_has_so_many_successors_and_the_login_survives_that() {
    let server = LoginServer::new().await;
    let (client, _, first) = server.logged_in().await;
    let mut last = String::new();
    for _ in 0..21 {
        last = tokens(&server.refresh(&client, &first).await).1;
    }
    let refused = server.refresh(&client, &first).await;
    assert_eq!((refused.status, refused.header("retry-after")), (429, "1"));
    tokens(&server.refresh(&client, &last).await);
}

#[tokio::test]
async fn a_token_that_is_not_used_ends_after_sixty_days() {
    let day = 24 * 3600;
    for (seconds, status) in [(60 * day - 1, 200), (60 * day, 400)] {
        let server = LoginServer::new().await;
        let (client, _, first) = server.logged_in().await;
        server.pass(seconds);
        assert_eq!(server.refresh(&client, &first).await.status, status, "{seconds}");
    }
}

#[tokio::test]
async fn a_refresh_gets_what_was_granted_or_less() {
    let server = LoginServer::new().await;
    let (client, _, token) = server.logged_in().await;
    let (other, _, _) = server.logged_in().await;
    let cases = [
        ("scope", "admin", "invalid_scope"),
        ("scope", "read admin", "invalid_scope"),
        ("resource", "https://hub.example/p/team/mcp", "invalid_target"),
        ("client_id", other.as_str(), "invalid_grant"),
        ("client_id", "client-unknown", "invalid_client"),
        ("refresh_token", "hobr_wrong", "invalid_grant"),
        ("refresh_token", "", "invalid_request"),
    ];
    for (name, value, expected) in cases {
        let mut form = vec![
            ("grant_type", "refresh_token"),
            ("client_id", client.as_str()),
            ("refresh_token", token.as_str()),
        ];
        form.retain(|(it, _)| *it != name);
        form.push((name, value));
        assert_eq!(server.post("/oauth/token", &form).await.error(), expected, "{name}={value}");
    }
    let form = [
        ("grant_type", "refresh_token"),
        ("client_id", &client),
        ("refresh_token", &token),
        ("scope", "read"),
        ("resource", "https://hub.example/mcp/"),
    ];
    let answer = server.post("/oauth/token", &form).await;
    assert_eq!(answer.json()["scope"], "read");
    let (access, refresh) = tokens(&answer);
    let scopes = server.server.verify(&access, RESOURCE).await.unwrap().scopes;
    assert_eq!(scopes.to_text(), "read");
    // The next refresh may request all scopes again.
    assert_eq!(server.refresh(&client, &refresh).await.json()["scope"], "read call");
}
