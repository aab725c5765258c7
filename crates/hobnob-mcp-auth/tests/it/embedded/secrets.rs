//! A39: a secret is only in the answer to its owner, and nowhere else.

use super::browser::{Browser, REDIRECT, VERIFIER, sent_back, tokens, usual};
use super::login_server::{LoginServer, PASSWORD};
use hobnob_mcp_auth::authorization_server::RecordKind;
use serde_json::json;

#[tokio::test]
async fn no_secret_is_stored_or_told() {
    let server = LoginServer::new().await;
    let body =
        json!({ "redirect_uris": [REDIRECT], "token_endpoint_auth_method": "client_secret_post" });
    let registered = server.register(&body).await.json();
    let secret = registered["client_secret"].as_str().unwrap().to_owned();
    let id = registered["client_id"].as_str().unwrap().to_owned();
    let mut browser = Browser::new(&server);
    let page = browser.page(&usual(&id)).await;
    let code = sent_back(&browser.allow(&page).await, REDIRECT)["code"].clone();
    let form = [
        ("grant_type", "authorization_code"),
        ("client_id", &*id),
        ("client_secret", &*secret),
        ("code", &*code),
        ("code_verifier", VERIFIER),
    ];
    let (access, refresh) = tokens(&server.post("/oauth/token", &form).await);
    // A page that still waits for a decision, and its secrets.
    let waiting = browser.page(&usual(&id)).await;
    let cookie = browser.cookie.split_once('=').unwrap().1.to_owned();
    let secrets = [
        ("password", PASSWORD.to_owned()),
        ("client secret", secret),
        ("code", code),
        ("verifier", VERIFIER.to_owned()),
        ("access token", access),
        ("refresh token", refresh),
        ("cookie", cookie),
        ("request", waiting.request),
        ("form token", waiting.form_token),
    ];
    let mut kept = String::new();
    for kind in RecordKind::ALL {
        let records = server.store.list(kind, None, 100).await.unwrap();
        assert!(!records.is_empty(), "{kind:?}");
        kept += &format!("{records:?}");
    }
    for (what, secret) in secrets {
        assert!(10 < secret.len());
        assert!(!kept.contains(&secret), "the {what} is in the store");
        assert!(!server.recorded_events().contains(&secret), "the {what} is in an event");
        assert!(!format!("{:?}", server.server).contains(&secret), "the {what} is in a Debug");
    }
}
