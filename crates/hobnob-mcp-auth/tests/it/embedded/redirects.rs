//! A29, A30: for which requests a page is shown, and where answers go: never to a redirect that is
//! not the client's.

use super::browser::{Browser, REDIRECT, changed, sent_back, usual};
use super::login_server::{ISSUER, LoginServer, START};

#[tokio::test]
async fn a_client_or_redirect_that_is_not_trusted_gets_a_page_and_no_redirect() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT, "http://127.0.0.1/cb"]).await;
    let browser = Browser::new(&server);
    let untrusted = [
        ("client_id", ""),
        ("client_id", "client-unknown"),
        ("client_id", "https://client.example/no-document"),
        ("client_id", "http://client.example/plain"),
        ("redirect_uri", ""),
        ("redirect_uri", "https://client.example/other"),
        ("redirect_uri", "https://client.example/callback/"),
        ("redirect_uri", "https://client.example/callback?x=1"),
        ("redirect_uri", "https://client.example/callback#x"),
        ("redirect_uri", "https://user@client.example/callback"),
        ("redirect_uri", "https://client.example.evil/callback"),
        ("redirect_uri", "https://client.example:444/callback"),
        ("redirect_uri", "http://client.example/callback"),
        ("redirect_uri", "http://localhost.evil/cb"),
        ("redirect_uri", "http://127.0.0.1:1@evil.example/cb"),
        ("redirect_uri", "http://127.0.0.1:1/other"),
        ("redirect_uri", "http://localhost:1/cb"),
        ("redirect_uri", "myapp://callback"),
        ("redirect_uri", "javascript:alert(1)"),
    ];
    for (name, value) in untrusted {
        let answer = browser.open(&changed(&client, name, value)).await;
        assert_eq!(answer.status, 400, "{name}={value}");
        assert_eq!(answer.header("location"), "", "{name}={value}");
        assert!(answer.header("content-type").starts_with("text/html"), "{name}={value}");
        let policy = answer.header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
        assert!(!answer.text.contains("<form"), "{name}={value}");
        assert!(!answer.text.contains("evil"), "{name}={value}");
    }
    let mut twice = usual(&client);
    twice.push(("redirect_uri".into(), "https://evil.example/".into()));
    assert_eq!(browser.open(&twice).await.status, 400);
    // A program on this machine gets its port from the system.
    let page = browser.open(&changed(&client, "redirect_uri", "http://127.0.0.1:49152/cb")).await;
    assert_eq!(page.status, 200);
}

#[tokio::test]
async fn other_mistakes_are_told_to_the_client_with_state_and_issuer() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let browser = Browser::new(&server);
    let long = "x".repeat(3000);
    let cases = [
        ("response_type", "", "invalid_request"),
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", "code id_token", "unsupported_response_type"),
        ("response_mode", "form_post", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge", "!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "s256", "invalid_request"),
        ("resource", "https://other.example/mcp", "invalid_target"),
        ("resource", "https://hub.example/p/secret/mcp", "invalid_target"),
        ("scope", "root everything", "invalid_scope"),
        ("prompt", "none", "consent_required"),
        ("request", "eyJ", "request_not_supported"),
        ("request_uri", "https://evil.example/r", "request_not_supported"),
        ("state", &long, "invalid_request"),
    ];
    for (name, value, expected) in cases {
        let answer = browser.open(&changed(&client, name, value)).await;
        let sent = sent_back(&answer, REDIRECT);
        assert_eq!(sent["error"], expected, "{name}={value}");
        assert_eq!(sent["iss"], ISSUER, "{name}={value}");
        let state = sent.get("state").map(String::as_str);
        let expected = if name == "state" { None } else { Some("canary state&1") };
        assert_eq!(state, expected, "{name}={value}");
        assert!(!sent.contains_key("code"), "{name}={value}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
    }
}

#[tokio::test]
async fn what_is_left_out_has_a_sensible_meaning() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let cases = [
        ("resource", "", "https://hub.example/mcp", "read call"),
        ("resource", "https://hub.example/mcp/", "https://hub.example/mcp", "read call"),
        (
            "resource",
            "https://hub.example/p/team/mcp",
            "https://hub.example/p/team/mcp",
            "read call",
        ),
        ("redirect_uri", "", "https://hub.example/mcp", "read call"),
        ("scope", "read admin", "https://hub.example/mcp", "read"),
        ("scope", "read offline_access", "https://hub.example/mcp", "read"),
        ("scope", "offline_access", "https://hub.example/mcp", "read call"),
        ("scope", "read unknown", "https://hub.example/mcp", "read"),
        ("scope", "time:call p/team:read", "https://hub.example/mcp", "time:call p/team:read"),
        ("scope", ":call read a<b:read time:root", "https://hub.example/mcp", "read"),
    ];
    for (name, value, resource, scopes) in cases {
        let mut browser = Browser::new(&server);
        let page = browser.page(&changed(&client, name, value)).await;
        assert!(page.text.contains(resource), "{name}={value}: {}", page.text);
        let code = sent_back(&browser.allow(&page).await, REDIRECT)["code"].clone();
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", client.as_str()),
            ("code", &code),
            ("code_verifier", super::browser::VERIFIER),
        ];
        let answer = server.post("/oauth/token", &form).await;
        assert_eq!(answer.json()["scope"], scopes, "{name}={value}");
    }
}

#[tokio::test]
async fn an_address_begins_so_many_logins_and_no_more() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let browser = Browser::new(&server);
    for _ in 0..120 {
        assert_eq!(browser.open(&usual(&client)).await.status, 200);
    }
    assert_eq!(browser.open(&usual(&client)).await.status, 429);
    server.pass(15 * 60);
    assert_eq!(browser.open(&usual(&client)).await.status, 200);
    assert_eq!(server.now(), START + 15 * 60);
}
