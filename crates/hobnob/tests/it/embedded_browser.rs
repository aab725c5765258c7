//! A real browser, Chromium, goes through the page of a login: by password, with its cookie over
//! https, and as an attacker's page would have it.
//!
//! A40: consent every time, no frames, no scripts, no forms of other sites; T58.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::embedded_login::{LoginHub, PASSWORD, USER, free_port};
use crate::peers::{Peer, report_of};

/// How the browser reaches the hub.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scheme {
    Http,
    Https,
}

/// What the script saw, unless a part of it is not here.
async fn seen_by_browser(scheme: Scheme) -> Option<Value> {
    let (library, browser) = (Peer::find("playwright")?, Peer::find("chromium")?);
    let openssl = Peer::find("openssl")?;
    let port = free_port();
    let public_url = match scheme {
        Scheme::Http => format!("http://127.0.0.1:{port}"),
        Scheme::Https => format!("https://hub.test:{}", free_port()),
    };
    let hub = LoginHub::known_as(&public_url, port).await;
    let mut command = library.script("consent.mjs");
    command.arg(browser.home()).arg(&public_url).arg(&hub.server.url).args([USER, PASSWORD]);
    if scheme == Scheme::Https {
        let folder = Path::new(hub.path());
        let (key, certificate) = (folder.join("tls.key"), folder.join("tls.pem"));
        make_certificate(openssl.home(), &key, &certificate);
        command.arg(key).arg(certificate);
    }
    Some(report_of(&mut command).await)
}

/// Makes a key and a certificate for `hub.test`.
pub(crate) fn make_certificate(openssl: &Path, key: &Path, certificate: &Path) {
    let mut command = Command::new(openssl);
    command.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
    command.args(["-nodes", "-days", "2", "-subj", "/CN=hub.test"]);
    command.args(["-addext", "subjectAltName=DNS:hub.test"]);
    let output = command.arg("-keyout").arg(key).arg("-out").arg(certificate).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What holds over http and over https.
fn check(seen: &Value) {
    let redirect = seen["redirect"].as_str().unwrap();
    let host = redirect.strip_prefix("http://").unwrap().strip_suffix("/callback").unwrap();
    let facts = &seen["facts"];
    let name = facts["The client calls itself"].as_str().unwrap();
    assert!(name.contains("<script>window.pwned=1</script>Lying"), "a name is text: {facts}");
    assert!(facts["Described by"].as_str().unwrap().starts_with("no document"), "{facts}");
    assert_eq!(facts["The answer goes to"], host, "{facts}");
    assert!(facts["It wants to use"].as_str().unwrap().ends_with("/mcp"), "{facts}");
    assert_eq!(seen["scopes"], json!(["read", "call"]), "{seen}");
    assert!(seen["warnings"].to_string().contains("a program on this computer"), "{seen}");
    assert_eq!((&seen["pwned"], &seen["elements"]), (&Value::Null, &json!(0)), "{seen}");
    assert_ne!(seen["styled"], "none", "the style is the one thing that the page may have");
    assert_eq!(seen["light"], json!(["rgb(26, 26, 26)", "rgb(255, 255, 255)"]), "{seen}");
    assert_eq!(seen["dark"], json!(["rgb(238, 238, 238)", "rgb(24, 24, 24)"]), "{seen}");
    assert!(seen["overflow"].as_i64().unwrap() <= 0, "a phone shows all of it: {seen}");
    assert_eq!((&seen["unlabelled"], &seen["landmarks"]), (&json!([]), &json!(1)), "{seen}");

    assert!(seen["wrong"]["warning"].as_str().unwrap().contains("password is wrong"), "{seen}");
    assert_eq!(seen["wrong"]["calls"], json!([]), "{seen}");
    let refusals = seen["refusals"].as_array().unwrap();
    assert!(refusals.iter().all(|it| it.to_string().contains("403")), "{seen}");
    let allowed = only(&seen["allowed"]);
    assert_eq!(allowed["state"], "state-1", "{seen}");
    assert!(allowed["code"].is_string() && allowed["iss"].is_string(), "{seen}");
    assert_eq!((&allowed["referer"], &allowed["cookie"]), (&Value::Null, &Value::Null), "{seen}");
    assert_eq!(seen["token"], json!({"status": 200, "type": "Bearer"}), "{seen}");
    assert_eq!(seen["again"]["calls"], json!([]), "nobody is let in without being asked: {seen}");
    let denied = only(&seen["denied"]);
    assert_eq!((&denied["error"], &denied["state"]), (&json!("access_denied"), &json!("state-3")));
    assert_eq!(seen["errors"], json!([]), "the browser has nothing to complain about");

    assert_eq!(seen["framed"]["forms"], 0, "the page is in no frame: {seen}");
    assert!(seen["framed"]["errors"].to_string().contains("frame"), "{seen}");
    assert_eq!(seen["forged"], json!({"status": 400, "calls": []}), "{seen}");
}

fn only(calls: &Value) -> &Value {
    let all = calls.as_array().unwrap();
    assert_eq!(all.len(), 1, "{calls}");
    &all[0]
}

#[tokio::test]
async fn a_browser_logs_in_with_a_password_and_keeps_nothing() {
    let Some(seen) = seen_by_browser(Scheme::Http).await else { return };
    check(&seen);
    assert_eq!(seen["cookies"], json!([]), "another program here would get it: {seen}");
    assert!(!seen["again"]["text"].as_str().unwrap().contains("You are logged in"), "{seen}");
}

#[tokio::test]
async fn a_browser_over_https_is_remembered_and_asked_all_the_same() {
    let Some(seen) = seen_by_browser(Scheme::Https).await else { return };
    check(&seen);
    let cookie = json!([{"name": "__Host-hobnob-login", "domain": "hub.test", "path": "/",
        "httpOnly": true, "secure": true, "sameSite": "Lax"}]);
    assert_eq!(seen["cookies"], cookie, "{seen}");
    let text = seen["again"]["text"].as_str().unwrap();
    assert!(text.contains(&format!("You are logged in as {USER}")), "{text}");
    let remembered = only(&seen["remembered"]);
    assert_eq!(remembered["state"], "state-2", "{seen}");
    assert!(remembered["code"].is_string(), "{seen}");
}
