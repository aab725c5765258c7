//! Which scopes a login requests, and where they come from.

use super::Scopes;
use crate::challenge::AuthChallenge;
use crate::discovery::{Abilities, AuthorizationServer, Discovered};
use reqwest::Url;

fn discovered(published: &[&str], listed: &[&str]) -> Discovered {
    let texts = |scopes: &[&str]| scopes.iter().map(|it| (*it).into()).collect();
    Discovered {
        resource: None,
        issuer: "https://as.example".into(),
        scopes_supported: texts(published),
        server: AuthorizationServer {
            authorization_endpoint: None,
            token_endpoint: Url::parse("https://as.example/token").unwrap(),
            registration_endpoint: None,
            device_authorization_endpoint: None,
            revocation_endpoint: None,
            abilities: Abilities { scopes_supported: texts(listed), ..Abilities::default() },
        },
    }
}

#[test]
fn the_challenge_comes_before_what_is_published() {
    let cases = [
        // challenge, published, listed by the issuer, earlier, configured: requested
        ("", "a b", "", "", "", "a b"),
        ("c", "a b", "", "", "", "c"),
        ("", "", "", "", "", ""),
        ("write", "profile", "", "read", "", "read write"),
        ("a", "", "a offline_access", "", "", "a offline_access"),
        ("a", "", "a", "", "", "a"),
        ("", "", "offline_access", "", "", ""),
        ("a a", "", "", "a", "x a", "a x"),
    ];
    for (challenged, published, listed, earlier, configured, expected) in cases {
        let split = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let found = discovered(&split(published), &split(listed));
        let header: Vec<Box<str>> = vec![format!("Bearer scope=\"{challenged}\"").into()];
        let challenge = AuthChallenge::for_oauth(&header);
        let (earlier, configured) = (Scopes::parse(earlier), Scopes::parse(configured));
        let asked = Scopes::to_request(&found, challenge.as_ref(), &earlier, &configured);
        assert_eq!(asked.to_text(), expected, "{challenged} {published}");
    }
}

#[test]
fn what_is_no_scope_is_left_out() {
    let mut scopes = Scopes::default();
    scopes.extend(["a\"b".into(), "ü".into(), "".into(), "ok".into()]);
    assert_eq!(scopes.to_text(), "ok");
    scopes.extend((0..1000).map(|n| format!("s{n}").into()));
    assert_eq!(scopes.to_text().split(' ').count(), 128);
}
