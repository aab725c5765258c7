//! A19, A20, A26, A29: which callbacks count, and what a request contains.

use super::{
    AuthorizationSettings, IssuerInAnswer, LOGIN_SECONDS, PendingAuthorization, begin_authorization,
};
use crate::error::AuthError;
use crate::scopes::Scopes;
use reqwest::Url;
use ring::digest::{SHA256, digest};

const ISSUER: &str = "https://as.example";

fn begin(issuer_in_answer: IssuerInAnswer) -> (Url, PendingAuthorization) {
    let endpoint = Url::parse("https://as.example/authorize?tenant=1").unwrap();
    let settings = AuthorizationSettings {
        endpoint: &endpoint,
        issuer: ISSUER,
        issuer_in_answer,
        client_id: "client",
        redirect: "http://127.0.0.1:9/callback",
        resource: Some("https://mcp.example"),
        scopes: &Scopes::parse("a b"),
        extra: &[("prompt".into(), "consent".into()), ("state".into(), "evil".into())],
    };
    begin_authorization(&settings, 0).unwrap()
}

fn value(url: &Url, name: &str) -> String {
    let found: Vec<_> = url.query_pairs().filter(|(key, _)| key == name).collect();
    assert_eq!(found.len(), 1, "{name}");
    found[0].1.to_string()
}

#[test]
fn a_request_says_what_it_must_and_nothing_twice() {
    let (url, pending) = begin(IssuerInAnswer::Advertised);
    let expected = [
        ("tenant", "1"),
        ("response_type", "code"),
        ("client_id", "client"),
        ("redirect_uri", "http://127.0.0.1:9/callback"),
        // Exactly the resource's own spelling: no slash is added.
        ("resource", "https://mcp.example"),
        ("scope", "a b"),
        ("code_challenge_method", "S256"),
        ("prompt", "consent"),
    ];
    for (name, text) in expected {
        assert_eq!(value(&url, name), text);
    }
    let (state, challenge) = (value(&url, "state"), value(&url, "code_challenge"));
    let callback = format!("http://127.0.0.1:9/callback?code=c&state={state}&iss={ISSUER}");
    let accepted = pending.accept(&callback, LOGIN_SECONDS).unwrap();
    let hash = digest(&SHA256, accepted.verifier.expose().as_bytes());
    assert_eq!(crate::encoding::base64url(hash.as_ref()), challenge);
    assert_eq!(accepted.code.expose(), "c");
}

#[test]
fn only_the_callback_of_this_login_and_this_issuer_counts() {
    use IssuerInAnswer::{Advertised, NotAdvertised};
    let cases = [
        (Advertised, "code=c&state=S&iss=https://as.example", true),
        (NotAdvertised, "code=c&state=S&iss=https://as.example", true),
        (NotAdvertised, "code=c&state=S", true),
        (Advertised, "code=c&state=S", false),
        (Advertised, "code=c&state=S&iss=https://as.example/", false),
        (NotAdvertised, "code=c&state=S&iss=https://as.example/", false),
        (Advertised, "code=c&state=S&iss=https://AS.example", false),
        (Advertised, "code=c&state=S&iss=https://as.example:443", false),
        (NotAdvertised, "code=c&state=S&iss=https://evil.example", false),
        (NotAdvertised, "code=c&state=S&iss=", false),
        (NotAdvertised, "code=c", false),
        (NotAdvertised, "code=c&state=", false),
        (NotAdvertised, "code=c&state=wrong", false),
        (NotAdvertised, "code=c&state=S&state=S", false),
        (NotAdvertised, "code=c&code=d&state=S", false),
        (Advertised, "code=c&state=S&iss=https://as.example&iss=https://evil.example", false),
        (NotAdvertised, "state=S", false),
        (NotAdvertised, "code=&state=S", false),
    ];
    for (advertised, query, counts) in cases {
        let (url, pending) = begin(advertised);
        let query = query.replace("state=S", &format!("state={}", value(&url, "state")));
        let accepted = pending.accept(&format!("http://127.0.0.1:9/callback?{query}"), 1);
        assert_eq!(accepted.is_ok(), counts, "{query} {advertised:?}");
    }
}

#[test]
fn nothing_of_an_answer_from_elsewhere_is_shown() {
    for issuer in ["&iss=https://evil.example", ""] {
        let (url, pending) = begin(IssuerInAnswer::Advertised);
        let state = value(&url, "state");
        let query = format!("error=PWNED&error_description=PWNED&code=PWNED&state={state}{issuer}");
        let error = pending.accept(&format!("http://x/?{query}"), 1).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("PWNED"), "{error}");
    }
    let (_, pending) = begin(IssuerInAnswer::NotAdvertised);
    let error = pending.accept("http://x/?error=PWNED&state=wrong", 1).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("PWNED"), "{error}");
}

#[test]
fn a_refusal_of_the_right_issuer_is_told() {
    let (url, pending) = begin(IssuerInAnswer::NotAdvertised);
    let state = value(&url, "state");
    let callback =
        format!("http://x/?error=access_denied&error_description=No%0Away&state={state}");
    let error = pending.accept(&callback, 1).unwrap_err();
    assert!(error.is_code("access_denied"));
    assert_eq!(error.to_string(), "the authorization server refused (access_denied): No way");
}

#[test]
fn parallel_logins_do_not_take_each_others_callbacks() {
    let (first, pending_first) = begin(IssuerInAnswer::NotAdvertised);
    let (second, pending_second) = begin(IssuerInAnswer::NotAdvertised);
    let callback = |url: &Url| format!("http://x/?code=c&state={}", value(url, "state"));
    assert!(pending_first.accept(&callback(&second), 1).is_err());
    assert!(pending_second.accept(&callback(&second), 1).is_ok());
    assert_ne!(value(&first, "state"), value(&second, "state"));
}

#[test]
fn a_login_is_not_waited_for_forever() {
    let (url, pending) = begin(IssuerInAnswer::NotAdvertised);
    let callback = format!("http://x/?code=c&state={}", value(&url, "state"));
    let late = pending.accept(&callback, LOGIN_SECONDS + 1).unwrap_err();
    assert!(matches!(late, AuthError::LoginAbandoned(_)));
}
