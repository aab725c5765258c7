//! A40: a person decides every time, on our page, knowing which client asks.

use super::browser::{Browser, REDIRECT, sent_back, usual};
use super::login_server::{ISSUER, LoginServer, PASSWORD, posted};
use hobnob_mcp_auth::SecretText;
use hobnob_mcp_auth::authorization_server::{
    ApprovalOutcome, MemoryAuthorizationStore, TerminalApprovals,
};
use hobnob_mcp_engine::ClientId;
use http::Request;
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn the_page_says_who_asks_where_the_answer_goes_and_what_for() {
    let server = LoginServer::new().await;
    let lying = "<script>alert(1)</script>\u{202e} Anthropic's \"official\" client";
    let body = json!({ "redirect_uris": [REDIRECT], "client_name": lying });
    let client = server.register(&body).await.json()["client_id"].as_str().unwrap().to_owned();
    let answer = Browser::new(&server).open(&usual(&client)).await;
    for part in [
        "&lt;script&gt;alert(1)&lt;/script&gt; Anthropic&#39;s &quot;official&quot; client",
        "calls itself",
        "no document: the client registered itself, and its name is not verified",
        "<strong>client.example</strong>",
        "https://hub.example/mcp",
        "<code>read</code> what read means",
        "<code>call</code> what call means",
        "only if you have just started the login yourself",
    ] {
        assert!(answer.text.contains(part), "{part}: {}", answer.text);
    }
    assert!(!answer.text.contains("<script"), "{}", answer.text);
    assert!(!answer.text.contains('\u{202e}'));
    assert!(!answer.text.contains("what admin means"));
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(policy.contains("form-action 'self' https://client.example;"), "{policy}");
    assert_eq!(answer.header("x-frame-options"), "DENY");
    assert_eq!(answer.header("referrer-policy"), "no-referrer");
    assert_eq!(answer.header("cache-control"), "no-store");
    // No session begins before the decision, and no page of another site can read the answer.
    assert_eq!(answer.header("set-cookie"), "");
    assert_eq!(answer.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn allowing_sends_a_code_and_denying_an_error() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let page = browser.page(&usual(&client)).await;
    let answer = browser.allow(&page).await;
    let sent = sent_back(&answer, REDIRECT);
    assert_eq!((sent["state"].as_str(), sent["iss"].as_str()), ("canary state&1", ISSUER));
    let cookie = answer.header("set-cookie");
    assert!(cookie.starts_with("__Host-hobnob-login="), "{cookie}");
    for attribute in ["Path=/", "HttpOnly", "SameSite=Lax", "Secure", "Max-Age=43200"] {
        assert!(cookie.contains(attribute), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
    let page = browser.page(&usual(&client)).await;
    let answer = browser.submit(&page, &[("decision", "deny")]).await;
    let sent = sent_back(&answer, REDIRECT);
    assert_eq!((sent["error"].as_str(), sent["iss"].as_str()), ("access_denied", ISSUER));
    assert_eq!(sent["state"], "canary state&1");
    assert!(!sent.contains_key("code"));
    assert_eq!(server.events(), ["client_registered", "login_approved", "login_denied"]);
}

#[tokio::test]
async fn a_form_counts_only_from_its_own_page_and_once() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let browser = Browser::new(&server);
    let (page, other) = (browser.page(&usual(&client)).await, browser.page(&usual(&client)).await);
    let fields = |request: &str, token: &str| {
        [
            ("request", request.to_owned()),
            ("form_token", token.to_owned()),
            ("decision", "allow".to_owned()),
            ("user", "ann".to_owned()),
            ("password", PASSWORD.to_owned()),
        ]
    };
    let none = ("x-nothing", "x");
    let cases = [
        (fields("", &page.form_token), none),
        (fields(&page.request, ""), none),
        (fields(&page.request, "wrong"), none),
        (fields(&page.request, &other.form_token), none),
        (fields("wrong", &page.form_token), none),
        (fields(&page.request, &page.form_token), ("sec-fetch-site", "cross-site")),
        (fields(&page.request, &page.form_token), ("sec-fetch-site", "same-site")),
        (fields(&page.request, &page.form_token), ("sec-fetch-site", "none")),
        (fields(&page.request, &page.form_token), ("origin", "https://evil.example")),
        (fields(&page.request, &page.form_token), ("origin", "https://hub.example.evil")),
    ];
    for (fields, (name, value)) in cases {
        let form: Vec<_> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let mut request = posted("/oauth/authorize", &form);
        request.headers_mut().insert(name, value.parse().unwrap());
        let answer = server.send(request).await;
        assert_eq!((answer.status, answer.header("location")), (400, ""), "{fields:?} {name}");
    }
    let good = fields(&page.request, &page.form_token);
    let form: Vec<_> = good.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut request = posted("/oauth/authorize", &form);
    request.headers_mut().insert("origin", ISSUER.parse().unwrap());
    assert_eq!(server.send(request).await.status, 303);
    // Pressing the button again, or going back to the page, has no effect.
    let again = server.post("/oauth/authorize", &form).await;
    assert_eq!((again.status, again.header("location")), (400, ""));
}

#[tokio::test]
async fn a_page_ends_after_ten_minutes() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let page = browser.page(&usual(&client)).await;
    server.pass(600);
    assert_eq!(browser.allow(&page).await.status, 400);
}

#[tokio::test]
async fn a_known_browser_saves_the_password_and_never_the_page() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let before = browser.page(&usual(&client)).await;
    let page = browser.page(&usual(&client)).await;
    browser.allow(&page).await;
    // The same client again: the page shows the user's name and needs no password.
    let page = browser.page(&usual(&client)).await;
    assert!(page.text.contains("You are logged in as <strong>ann</strong>"), "{}", page.text);
    sent_back(&browser.submit(&page, &[("decision", "allow")]).await, REDIRECT);
    // A page from before the login, or of another browser, needs the password.
    let stranger = Browser::new(&server).page(&usual(&client)).await;
    for page in [before, stranger] {
        let answer = browser.submit(&page, &[("decision", "allow")]).await;
        assert_eq!((answer.status, answer.header("location")), (403, ""));
    }
    // The session ends with its cookie, and with its user.
    let page = browser.page(&usual(&client)).await;
    server.pass(12 * 3600);
    assert_eq!(browser.submit(&page, &[("decision", "allow")]).await.status, 400);
    let page = browser.page(&usual(&client)).await;
    assert!(!page.text.contains("You are logged in as"));
    browser.allow(&page).await;
    let page = browser.page(&usual(&client)).await;
    server.server.users().remove("ann").await.unwrap();
    assert_eq!(browser.submit(&page, &[("decision", "allow")]).await.status, 403);
}

/// Browsers send cookies to every port of a host, so a client on 127.0.0.1 would receive ours.
#[tokio::test]
async fn over_http_on_this_machine_no_browser_is_remembered() {
    let store = Arc::new(MemoryAuthorizationStore::default());
    let server = LoginServer::at("http://127.0.0.1:8080", store).await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let local = super::browser::changed(&client, "resource", "");
    let page = browser.page(&local).await;
    let answer = browser.allow(&page).await;
    assert_eq!((answer.status, answer.header("set-cookie")), (303, ""));
    assert!(!browser.page(&local).await.text.contains("You are logged in as"));
}

#[tokio::test]
async fn wrong_passwords_are_counted_for_the_user_and_for_the_address() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let mut browser = Browser::new(&server);
    let page = browser.page(&usual(&client)).await;
    let try_as = async |browser: &mut Browser<'_>, user: &str, password: &str| {
        let fields = [("decision", "allow"), ("user", user), ("password", password)];
        browser.submit(&page, &fields).await
    };
    for _ in 0..10 {
        let answer = try_as(&mut browser, "ann", "wrong").await;
        assert_eq!(answer.status, 403);
        assert!(answer.text.contains("there is no such user, or the password is wrong"));
    }
    // Even the right password is refused until time has passed.
    let answer = try_as(&mut browser, "ann", PASSWORD).await;
    assert!(answer.text.contains("too many attempts"), "{}", answer.text);
    // An unknown user gets the same answers.
    for _ in 0..10 {
        let answer = try_as(&mut browser, "bob", "wrong").await;
        assert!(answer.text.contains("there is no such user, or the password is wrong"));
    }
    assert!(try_as(&mut browser, "bob", "wrong").await.text.contains("too many attempts"));
    // Then every password from this address is refused, for any user name.
    for number in 0..28 {
        try_as(&mut browser, &format!("user{number}"), "wrong").await;
    }
    let answer = try_as(&mut browser, "user99", "wrong").await;
    assert!(answer.text.contains("too many attempts"), "{}", answer.text);
    // From another address, another user can still log in.
    server.server.users().add("eve", Some(SecretText::new(PASSWORD)), 1).await.unwrap();
    let form = [
        ("request", page.request.as_str()),
        ("form_token", &page.form_token),
        ("decision", "allow"),
        ("user", "eve"),
        ("password", PASSWORD),
    ];
    let elsewhere = ClientId::next_at("192.0.2.9".parse().unwrap());
    let answer = server.send_from(posted("/oauth/authorize", &form), elsewhere).await;
    assert_eq!(answer.status, 303);
    server.pass(15 * 60);
    let page = browser.page(&usual(&client)).await;
    assert_eq!(browser.allow(&page).await.status, 303);
}

#[tokio::test]
async fn a_login_is_approved_in_the_terminal() {
    let server = LoginServer::new().await;
    server.server.users().add("ops", None, 1).await.unwrap();
    let client = server.public_client(&["http://127.0.0.1/cb"]).await;
    let redirect = "http://127.0.0.1:4000/cb";
    let mut browser = Browser::new(&server);
    let parameters = super::browser::changed(&client, "redirect_uri", redirect);
    let page = browser.page(&parameters).await;
    let (_, code) = page.text.split_once("hobnob approve-login ").unwrap();
    let code = code[..9].to_owned();
    let waiting = browser.submit(&page, &[("decision", "continue")]).await;
    assert_eq!(waiting.status, 403);
    assert!(waiting.text.contains("has not been approved in the terminal yet"));
    assert!(waiting.text.contains(&code));
    let terminal = TerminalApprovals::new(Arc::clone(&server.store));
    let now = server.now();
    let login = terminal.find(&code, now).await.unwrap().unwrap();
    assert_eq!(&*login.client_name, "Test client");
    assert_eq!(&*login.redirect_host, "127.0.0.1:4000");
    assert!(login.answers_locally);
    assert_eq!(login.scopes.join(" "), "read call");
    let cases = [
        (code.as_str(), "nobody", ApprovalOutcome::NoSuchUser),
        ("BBBB-BBBB", "ops", ApprovalOutcome::NotWaiting),
        ("", "ops", ApprovalOutcome::NotWaiting),
    ];
    for (code, user, expected) in cases {
        assert_eq!(terminal.approve(code, user, now).await.unwrap(), expected, "{code} {user}");
    }
    // In the form in which people type it.
    let typed = code.replace('-', " ").to_lowercase();
    let outcome = terminal.approve(&typed, "ops", now).await.unwrap();
    assert_eq!(outcome, ApprovalOutcome::Approved);
    // Another page of the same client has its own code.
    let other = browser.page(&parameters).await;
    assert_eq!(browser.submit(&other, &[("decision", "continue")]).await.status, 403);
    let answer = browser.submit(&page, &[("decision", "continue")]).await;
    assert!(sent_back(&answer, redirect).contains_key("code"));
    assert_eq!(answer.header("set-cookie"), "");
    assert_eq!(terminal.find(&code, now).await.unwrap(), None);
    assert_eq!(terminal.approve(&code, "ops", now).await.unwrap(), ApprovalOutcome::NotWaiting);
}

#[tokio::test]
async fn a_code_of_the_terminal_ends_with_its_page() {
    let server = LoginServer::new().await;
    let client = server.public_client(&[REDIRECT]).await;
    let page = Browser::new(&server).page(&usual(&client)).await;
    let (_, code) = page.text.split_once("hobnob approve-login ").unwrap();
    let terminal = TerminalApprovals::new(Arc::clone(&server.store));
    let later = server.now() + 600;
    assert_eq!(terminal.find(&code[..9], later).await.unwrap(), None);
    assert!(terminal.find(&code[..9], later - 1).await.unwrap().is_some());
}

#[tokio::test]
async fn a_form_without_a_type_is_refused() {
    let server = LoginServer::new().await;
    let request = Request::post("/oauth/authorize").body(bytes::Bytes::from("a=b")).unwrap();
    assert_eq!(server.send(request).await.status, 400);
}
