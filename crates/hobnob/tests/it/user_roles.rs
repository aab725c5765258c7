//! What users may reach, over HTTP: ann asks for more than her role allows and does not get it, and
//! what the owner takes away counts at once.

use crate::embedded_login::{ConsentForm, LoginHub, PASSWORD, USER};
use crate::tokens::{ask, send};
use hobnob_mcp_auth::Url;
use serde_json::{Value, json};
use std::collections::HashMap;

const REDIRECT: &str = "http://127.0.0.1:9/callback";
const VERIFIER: &str = "canary-verifier-0123456789-0123456789-0123456789";
/// The SHA-256 digest of the verifier.
const CHALLENGE: &str = "0xCLKpKXBKoT1Oj35mUN_Jyqz5kF0HOABBDKHu_yjUU";
/// An address that only admins may read.
const LOGS: &str = "hobnob://logs/anything?of=all";

/// The tokens of a login, or what OAuth calls its failure.
pub(crate) type LoggedIn = Result<Value, String>;

async fn post(hub: &LoginHub, path: &str, kind: &str, body: &str) -> Value {
    let head = format!("POST {path} HTTP/1.1\r\nContent-Type: {kind}");
    let answer = send(&hub.server.url, &head, body).await;
    serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body))
}

fn form(pairs: &[(&str, &str)]) -> String {
    let mut url = Url::parse("http://form/").unwrap();
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap().to_owned()
}

/// A client asks for these scopes at the server of this path, and ann agrees.
pub(crate) async fn log_in(hub: &LoginHub, path: &str, scope: &str) -> LoggedIn {
    let about = json!({"redirect_uris": [REDIRECT], "token_endpoint_auth_method": "none"});
    let client = post(hub, "/oauth/register", "application/json", &about.to_string()).await;
    let client = client["client_id"].as_str().unwrap_or_else(|| panic!("{client}"));
    let resource = Url::parse(&hub.server.url).unwrap().join(path).unwrap();
    let mut page = resource.join("/oauth/authorize").unwrap();
    page.query_pairs_mut().extend_pairs([
        ("response_type", "code"),
        ("client_id", client),
        ("redirect_uri", REDIRECT),
        ("code_challenge", CHALLENGE),
        ("code_challenge_method", "S256"),
        ("resource", resource.as_str()),
        ("scope", scope),
    ]);
    let fields = [("decision", "allow"), ("user", USER), ("password", PASSWORD)];
    let sent = ConsentForm::open(&page).await.unwrap().send(&fields).await.unwrap();
    let sent = Url::parse(&sent).unwrap();
    let sent: HashMap<String, String> = sent.query_pairs().into_owned().collect();
    let Some(code) = sent.get("code") else { return Err(sent["error"].clone()) };
    let redeem = form(&[
        ("grant_type", "authorization_code"),
        ("client_id", client),
        ("code", code),
        ("code_verifier", VERIFIER),
    ]);
    Ok(post(hub, "/oauth/token", "application/x-www-form-urlencoded", &redeem).await)
}

fn access(tokens: &Value) -> &str {
    tokens["access_token"].as_str().unwrap_or_else(|| panic!("{tokens}"))
}

async fn status(hub: &LoginHub, path: &str, token: &str, method: &str, params: Value) -> u16 {
    ask(&hub.server, path, Some(token), method, params).await.status
}

#[tokio::test]
async fn a_member_who_asks_for_admin_does_not_get_it() {
    let hub = LoginHub::start().await;
    assert_eq!(log_in(&hub, "/mcp", "admin").await, Err("invalid_scope".to_owned()));
    let tokens = log_in(&hub, "/mcp", "read call admin").await.unwrap();
    assert_eq!(tokens["scope"], "read call");
    let read = || json!({"uri": LOGS});
    let call = || json!({"name": "ReadMcpResource", "arguments": {"uri": LOGS}});
    for (method, params) in [("resources/read", read()), ("tools/call", call())] {
        assert_eq!(status(&hub, "/mcp", access(&tokens), method, params).await, 403, "{method}");
    }
    assert_eq!(status(&hub, "/mcp", access(&tokens), "tools/list", json!({})).await, 200);
    // As an admin she gets it, and loses it with the role: the very token, at its next use.
    hub.owner(&["user", "set", USER, "--role", "admin"], "").await;
    let tokens = log_in(&hub, "/mcp", "read call admin").await.unwrap();
    assert_eq!(tokens["scope"], "read call admin");
    for _ in 0..2 {
        assert_eq!(status(&hub, "/mcp", access(&tokens), "resources/read", read()).await, 200);
    }
    hub.owner(&["user", "set", USER, "--role", "member"], "").await;
    assert_eq!(status(&hub, "/mcp", access(&tokens), "resources/read", read()).await, 403);
    assert_eq!(status(&hub, "/mcp", access(&tokens), "tools/list", json!({})).await, 200);
}

#[tokio::test]
async fn a_user_of_one_profile_reaches_no_other_path() {
    let hub = LoginHub::start().await;
    let everywhere = ["/mcp", "/p/bossman/mcp", "/p/subcog/mcp"];
    let mut tokens = Vec::new();
    for path in everywhere {
        tokens.push((path, log_in(&hub, path, "read call").await.unwrap()));
    }
    hub.owner(&["user", "set", USER, "--profile", "bossman"], "").await;
    for (path, tokens) in &tokens {
        let answer = ask(&hub.server, path, Some(access(tokens)), "tools/list", json!({})).await;
        let (expected, words) = match *path {
            "/p/bossman/mcp" => (200, "create_task"),
            _ => (403, "your user may not use the server at this path"),
        };
        assert_eq!(answer.status, expected, "{path}: {}", answer.body);
        assert!(answer.body.contains(words), "{path}: {}", answer.body);
        let again = log_in(&hub, path, "read call").await.map(|tokens| tokens["scope"].clone());
        match expected {
            200 => assert_eq!(again, Ok(json!("read call"))),
            _ => assert_eq!(again, Err("access_denied".to_owned()), "{path}"),
        }
    }
    hub.owner(&["user", "set", USER, "--all-profiles"], "").await;
    for (path, tokens) in &tokens {
        assert_eq!(
            status(&hub, path, access(tokens), "tools/list", json!({})).await,
            200,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_new_password_and_the_end_of_a_login_count_at_once() {
    let hub = LoginHub::start().await;
    let works = async |tokens: &Value| {
        let params = json!({});
        status(&hub, "/mcp", access(tokens), "tools/list", params).await == 200
    };
    let first = log_in(&hub, "/mcp", "read").await.unwrap();
    let second = log_in(&hub, "/mcp", "call").await.unwrap();
    assert!(works(&first).await && works(&second).await);
    let logins = hub.listed(&["user", "logins", USER]).await;
    let logins = logins["logins"].as_array().unwrap();
    assert_eq!(logins.len(), 2, "{logins:?}");
    let of_first = logins.iter().find(|it| it["scopes"] == json!(["read"])).unwrap();
    assert!(of_first["resource"].as_str().unwrap().ends_with("/mcp"), "{of_first}");
    hub.owner(&["user", "end-login", of_first["id"].as_str().unwrap()], "").await;
    assert!(!works(&first).await && works(&second).await);
    hub.owner(&["user", "password", USER], "another horse battery").await;
    assert!(!works(&second).await);
    assert_eq!(hub.listed(&["user", "logins"]).await, json!({"logins": []}));
}
