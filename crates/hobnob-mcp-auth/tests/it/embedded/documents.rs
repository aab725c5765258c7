//! Clients that are described by a document at the address that is their id.

use super::browser::{Browser, VERIFIER, changed, sent_back};
use super::login_server::{LoginServer, RESOURCE, posted};
use serde_json::json;
use std::sync::atomic::Ordering;

const ID: &str = "https://claude.ai/oauth/client-metadata";

fn describe(server: &LoginServer, name: &str) {
    let document = json!({
        "client_id": ID,
        "client_name": name,
        "redirect_uris": ["http://127.0.0.1/callback", "http://localhost/callback"],
        "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
    });
    server.documents.known.lock().insert(ID.into(), (200, document.to_string()));
}

#[tokio::test]
async fn a_described_client_logs_in_at_any_port() {
    let server = LoginServer::new().await;
    describe(&server, "Claude Code");
    let mut browser = Browser::new(&server);
    let redirect = "http://localhost:51234/callback";
    let page = browser.page(&changed(ID, "redirect_uri", redirect)).await;
    for part in ["Claude Code", "a document of <strong>claude.ai</strong>", "localhost:51234"] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    assert!(page.text.contains("Any program here can"), "{}", page.text);
    let code = sent_back(&browser.allow(&page).await, redirect)["code"].clone();
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", ID),
        ("code", &code),
        ("redirect_uri", redirect),
        ("code_verifier", VERIFIER),
        ("resource", RESOURCE),
    ];
    let answer = server.post("/oauth/token", &form).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    // The document was fetched once; the token endpoint does not fetch it.
    browser.page(&changed(ID, "redirect_uri", redirect)).await;
    assert_eq!(server.documents.asked.load(Ordering::SeqCst), 1);
    server.pass(5 * 60);
    browser.page(&changed(ID, "redirect_uri", redirect)).await;
    assert_eq!(server.documents.asked.load(Ordering::SeqCst), 2);
}

/// A40: many programs share this id. Each program after the first needs its own consent.
#[tokio::test]
async fn a_second_program_with_the_same_id_is_asked_about_again() {
    let server = LoginServer::new().await;
    describe(&server, "Claude Code");
    let mut browser = Browser::new(&server);
    for redirect in ["http://localhost:51234/callback", "http://localhost:51235/callback"] {
        let parameters = changed(ID, "redirect_uri", redirect);
        let answer = browser.open(&parameters).await;
        assert_eq!((answer.status, answer.header("location")), (200, ""), "no silent consent");
        let page = browser.page(&parameters).await;
        let host = redirect.strip_prefix("http://").unwrap().strip_suffix("/callback").unwrap();
        assert!(page.text.contains(&format!("<strong>{host}</strong>")), "{}", page.text);
        sent_back(&browser.allow(&page).await, redirect);
    }
}

#[tokio::test]
async fn a_document_that_cannot_be_used_is_a_page_and_no_redirect() {
    let cases = [
        (404, String::new()),
        (302, String::new()),
        (200, "<html>".into()),
        (200, json!({ "client_id": "https://evil.example/x", "client_name": "x", "redirect_uris": ["http://127.0.0.1/callback"] }).to_string()),
        (200, json!({ "client_id": ID, "client_name": "x", "redirect_uris": [] }).to_string()),
    ];
    for (status, body) in cases {
        let server = LoginServer::new().await;
        server.documents.known.lock().insert(ID.into(), (status, body.clone()));
        let browser = Browser::new(&server);
        for _ in 0..3 {
            let answer =
                browser.open(&changed(ID, "redirect_uri", "http://127.0.0.1/callback")).await;
            assert_eq!((answer.status, answer.header("location")), (400, ""), "{status} {body}");
        }
        // A failed fetch is not repeated at once.
        assert_eq!(server.documents.asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn nobody_has_a_secret_for_a_described_client() {
    let server = LoginServer::new().await;
    describe(&server, "Claude Code");
    let form = [("client_id", ID), ("client_secret", "x"), ("grant_type", "refresh_token")];
    let answer = server.send(posted("/oauth/token", &form)).await;
    assert_eq!((answer.status, answer.error().as_str()), (401, "invalid_client"));
}

#[tokio::test]
async fn an_address_has_so_many_documents_fetched_and_no_more() {
    let server = LoginServer::new().await;
    let browser = Browser::new(&server);
    for number in 0..70 {
        let id = format!("https://host-{number}.example/client");
        assert_eq!(
            browser.open(&changed(&id, "redirect_uri", "http://127.0.0.1/callback")).await.status,
            400
        );
    }
    assert_eq!(server.documents.asked.load(Ordering::SeqCst), 60);
}
