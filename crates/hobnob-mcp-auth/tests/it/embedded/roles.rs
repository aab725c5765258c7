//! What users may reach: consent and every use of a token reduce scopes to the user's role, and
//! paths to the user's profiles.

use super::browser::{Browser, REDIRECT, changed, sent_back, tokens};
use super::login_server::{Answer, LoginServer, RESOURCE};
use hobnob_mcp_auth::authorization_server::{UserAccess, UserRole};
use hobnob_mcp_auth::resource_server::{TokenRefusal, TokenVerifier as _};

const TEAM: &str = "https://hub.example/p/team/mcp";

/// Ann agrees to a request with this parameter changed; returns the response to the client.
async fn agreed(server: &LoginServer, client: &str, name: &str, value: &str) -> Answer {
    let mut browser = Browser::new(server);
    let page = browser.page(&changed(client, name, value)).await;
    browser.allow(&page).await
}

async fn redeemed(server: &LoginServer, client: &str, code: &str) -> Answer {
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("code_verifier", super::browser::VERIFIER),
    ];
    server.post("/oauth/token", &form).await
}

/// The result of verifying the token: its scopes, or the refusal.
async fn verified(server: &LoginServer, token: &str, resource: &str) -> String {
    match server.server.verify(token, resource).await {
        Ok(token) => token.scopes.iter().map(|it| &**it).collect::<Vec<_>>().join(" "),
        Err(refusal) => format!("{refusal:?}"),
    }
}

#[expect(clippy::unwrap_used, reason = "a helper that fails must fail the test that uses it")]
async fn set(server: &LoginServer, change: impl FnOnce(&mut UserAccess)) {
    server.server.users().change_access("ann", change).await.unwrap();
}

#[tokio::test]
async fn a_member_gets_what_their_role_may_have_and_an_admin_gets_all() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let cases = [
        ("read call admin", Ok("read call"), Ok("read call admin")),
        ("p/team:admin p/team:read", Ok("p/team:read"), Ok("p/team:admin p/team:read")),
        ("admin", Err("invalid_scope"), Ok("admin")),
        ("read", Ok("read"), Ok("read")),
    ];
    for (asked, member, admin) in cases {
        for (role, expected) in [(UserRole::Member, member), (UserRole::Admin, admin)] {
            set(&server, |access| access.role = role).await;
            let answer = agreed(&server, &client, "scope", asked).await;
            let sent = sent_back(&answer, REDIRECT);
            assert_eq!(sent["state"], "canary state&1");
            let got = match sent.get("code") {
                Some(code) => {
                    let answer = redeemed(&server, &client, code).await.json();
                    Ok(answer["scope"].as_str().unwrap().to_owned())
                }
                None => Err(sent["error"].clone()),
            };
            let got = got.as_ref().map(String::as_str).map_err(String::as_str);
            assert_eq!(got, expected, "{role:?} asks for {asked}");
        }
    }
}

#[tokio::test]
async fn a_role_that_is_lowered_cuts_the_tokens_that_are_out() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    set(&server, |access| access.role = UserRole::Admin).await;
    let answer = agreed(&server, &client, "scope", "read call admin").await;
    let answer = redeemed(&server, &client, &sent_back(&answer, REDIRECT)["code"]).await;
    let (access, refresh) = tokens(&answer);
    assert_eq!(verified(&server, &access, RESOURCE).await, "read call admin");
    let before = server.server.revocations();
    set(&server, |access| access.role = UserRole::Member).await;
    assert_ne!(server.server.revocations(), before, "who remembers the token must ask again");
    assert_eq!(verified(&server, &access, RESOURCE).await, "read call");
    let answer = server.refresh(&client, &refresh).await;
    assert_eq!(answer.json()["scope"], "read call");
    let (access, _) = tokens(&answer);
    assert_eq!(verified(&server, &access, RESOURCE).await, "read call");
}

#[tokio::test]
async fn a_code_that_is_redeemed_after_the_role_was_lowered_gives_no_admin() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    for (asked, expected) in [("call admin", "call"), ("admin", "invalid_scope")] {
        set(&server, |access| access.role = UserRole::Admin).await;
        let answer = agreed(&server, &client, "scope", asked).await;
        set(&server, |access| access.role = UserRole::Member).await;
        let answer = redeemed(&server, &client, &sent_back(&answer, REDIRECT)["code"]).await;
        let answer = answer.json();
        let got = answer.get("scope").unwrap_or(&answer["error"]);
        assert_eq!(got, expected, "{asked}");
    }
}

#[tokio::test]
async fn a_user_of_some_profiles_reaches_no_other() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let code = |answer: Answer| sent_back(&answer, REDIRECT).remove("code").unwrap();
    let mut issued = Vec::new();
    for resource in [RESOURCE, TEAM] {
        let code = code(agreed(&server, &client, "resource", resource).await);
        issued.push(tokens(&redeemed(&server, &client, &code).await).0);
    }
    let (all, team) = (&issued[0], &issued[1]);
    for (profiles, at_root, at_team) in [
        (&[][..], "read call", "read call"),
        (&["team"], "NotForUser", "read call"),
        (&["other", "team"], "NotForUser", "read call"),
        (&["other"], "NotForUser", "NotForUser"),
    ] {
        let profiles: Vec<Box<str>> = profiles.iter().map(|it: &&str| (*it).into()).collect();
        set(&server, |access| access.profiles = profiles.clone()).await;
        assert_eq!(verified(&server, all, RESOURCE).await, at_root, "{profiles:?}");
        assert_eq!(verified(&server, team, TEAM).await, at_team, "{profiles:?}");
        // The audience is checked first, and consent refuses what the use would.
        assert_eq!(
            verified(&server, team, RESOURCE).await,
            format!("{:?}", TokenRefusal::OtherAudience)
        );
        for (resource, expected) in [(RESOURCE, at_root), (TEAM, at_team)] {
            let sent = sent_back(&agreed(&server, &client, "resource", resource).await, REDIRECT);
            match expected {
                "NotForUser" => assert_eq!(sent["error"], "access_denied", "{profiles:?}"),
                _ => assert!(sent.contains_key("code"), "{profiles:?}: {sent:?}"),
            }
        }
    }
}

#[tokio::test]
async fn the_page_says_whom_a_scope_is_not_for() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let asks = changed(&client, "scope", "read admin");
    let page = browser.page(&asks).await;
    assert!(page.text.contains("only for users with the role admin"), "{}", page.text);
    browser.allow(&page).await;
    let page = browser.page(&asks).await;
    assert!(page.text.contains("not for ann, who is no admin"), "{}", page.text);
    set(&server, |access| access.role = UserRole::Admin).await;
    let page = browser.page(&asks).await;
    assert!(!page.text.contains("no admin") && !page.text.contains("only for users"));
}

#[tokio::test]
async fn a_request_that_was_refused_cannot_be_agreed_to_again() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let page = browser.page(&changed(&client, "scope", "admin")).await;
    assert_eq!(sent_back(&browser.allow(&page).await, REDIRECT)["error"], "invalid_scope");
    set(&server, |access| access.role = UserRole::Admin).await;
    assert_eq!(browser.allow(&page).await.status, 400);
    assert!(server.events().contains(&"login_denied".to_owned()), "{:?}", server.events());
}
