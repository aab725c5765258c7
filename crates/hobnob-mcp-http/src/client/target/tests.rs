//! URLs as data: which are accepted, what is shown of them, and what becomes of their user info.

use super::*;

fn target(url: &str) -> HttpTarget {
    HttpTarget::new(url, HeaderMap::new()).unwrap()
}

#[test]
fn only_http_urls_are_taken() {
    for (url, taken) in [
        ("http://localhost:1/mcp", true),
        ("https://example.com", true),
        ("HTTPS://EXAMPLE.com/x?y=z", true),
        ("ftp://example.com/", false),
        ("file:///etc/passwd", false),
        ("javascript:alert(1)", false),
        ("example.com/mcp", false),
        ("http://", false),
        ("", false),
    ] {
        assert_eq!(HttpTarget::new(url, HeaderMap::new()).is_ok(), taken, "{url}");
    }
}

#[test]
fn what_may_be_secret_is_not_shown() {
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", HeaderValue::from_static("canary-one"));
    let url = "https://canary-two:canary-three@example.com:444/mcp?key=canary-four#canary-five";
    let target = HttpTarget::new(url, headers).unwrap();
    assert_eq!(target.to_string(), "https://example.com:444/mcp");
    assert_eq!(
        format!("{target:?}"),
        r#"HttpTarget(https://example.com:444/mcp, headers ["x-api-key", "authorization"])"#
    );
    assert!(!format!("{:?} {:?}", target.headers, target.url.username()).contains("canary"));
    for url in ["http://canary@", "canary://canary:canary@x/?canary", "http://a:canary@b:99999/"] {
        let error = HttpTarget::new(url, HeaderMap::new()).unwrap_err();
        let shown = format!("{error} {error:?}").replace("`canary:`", "").replace("\"canary\"", "");
        assert!(!shown.contains("canary"), "{shown}");
    }
}

#[test]
fn user_info_becomes_a_header_unless_there_is_one() {
    let login = |url: &str, headers: HeaderMap| {
        let target = HttpTarget::new(url, headers).unwrap();
        assert!(!target.url().as_str().contains('@'));
        target.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned())
    };
    let none = HeaderMap::new;
    assert_eq!(login("http://a:b@c/", none()).as_deref(), Some("Basic YTpi"));
    assert_eq!(login("http://a@c/", none()).as_deref(), Some("Basic YTo="));
    assert_eq!(login("http://:b@c/", none()).as_deref(), Some("Basic OmI="));
    assert_eq!(login("http://%40%3a:%zz@c/", none()).as_deref(), Some("Basic QDo6JXp6"));
    assert_eq!(login("http://c/", none()), None);
    let mut own = HeaderMap::new();
    own.insert(AUTHORIZATION, HeaderValue::from_static("Bearer x"));
    assert_eq!(login("http://a:b@c/", own).as_deref(), Some("Bearer x"));
}

#[test]
fn this_machine_has_many_names() {
    for (url, loopback) in [
        ("http://localhost/", true),
        ("http://LOCALHOST./", true),
        ("http://mcp.localhost/", true),
        ("http://127.0.0.1/", true),
        ("http://127.9.9.9/", true),
        ("http://0x7f.1/", true),
        ("http://2130706433/", true),
        ("http://[::1]/", true),
        ("http://[::ffff:127.0.0.1]/", true),
        ("http://localhost.example.com/", false),
        ("http://notlocalhost/", false),
        ("http://127.0.0.1.example.com/", false),
        ("http://10.0.0.1/", false),
        ("http://[::2]/", false),
    ] {
        assert_eq!(target(url).is_loopback(), loopback, "{url}");
        assert_eq!(target(url).is_cleartext_remote(), !loopback, "{url}");
    }
    assert!(!target("https://example.com/").is_cleartext_remote());
}

#[test]
fn framing_headers_are_refused() {
    for name in ["content-length", "transfer-encoding", "connection", "upgrade", "host"] {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static("1"));
        let error = HttpTarget::new("http://localhost/", headers).unwrap_err();
        assert!(matches!(&error, TargetError::Header(known) if known == name), "{error}");
    }
}

#[test]
fn another_path_is_fine_and_another_origin_is_not() {
    let home = target("https://example.com/sse?x=1");
    for (reference, expected) in [
        ("/messages?id=1", Some("https://example.com/messages?id=1")),
        ("messages", Some("https://example.com/messages")),
        ("https://example.com:443/m", Some("https://example.com/m")),
        ("//example.com/m", Some("https://example.com/m")),
        ("http://example.com/m", None),
        ("https://example.com:444/m", None),
        ("//evil.example/m", None),
        ("https://example.com.evil.example/m", None),
        ("https://user@example.com/m", None),
        ("file:///m", None),
        ("https://", None),
    ] {
        let at = home.at(reference);
        assert_eq!(at.as_ref().map(|target| target.url().as_str()), expected, "{reference}");
    }
}

#[test]
fn our_secrets_are_taken_out_of_other_peoples_texts() {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer canary-token"));
    headers.insert("x-mode", HeaderValue::from_static("on"));
    let target = HttpTarget::new("http://localhost/?key=canary-key", headers).unwrap();
    let said = "no: Bearer canary-token, canary-token, key=canary-key, on";
    assert_eq!(target.redact(said), "no: [redacted], [redacted], [redacted], on");
}
