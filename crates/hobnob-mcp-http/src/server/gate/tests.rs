//! Which requests the gate accepts, and how it answers the others.

use super::{BadTokens, BearerToken, MAX_BAD_TOKENS, TokenAttempts, admit};
use crate::server::authentication::{Authentication, ChallengeReason, Identity, IdentityRefusal};
use crate::server::test_identity::Named;
use hobnob_mcp_engine::{BoxFuture, ClientId, Principal};
use http::header::{AUTHORIZATION, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderValue, Request};
use std::sync::Arc;

#[derive(Debug)]
struct OneToken;

impl Authentication for OneToken {
    fn recall(&self, _: &str, _: &str) -> Option<Arc<dyn Identity>> {
        None
    }

    fn verify<'a>(
        &'a self,
        token: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>> {
        Box::pin(std::future::ready(match token {
            "right" => Ok(Arc::new(Named(Principal::named("ann"))) as _),
            "old" => Err(IdentityRefusal::Expired),
            "elsewhere" => Err(IdentityRefusal::Forbidden),
            "later" => Err(IdentityRefusal::Unavailable),
            _ => Err(IdentityRefusal::Invalid),
        }))
    }

    fn challenge(&self, _: &str, reason: &ChallengeReason) -> Option<HeaderValue> {
        HeaderValue::from_str(&format!("{reason:?}")).ok()
    }
}

fn attempts(bad: &BadTokens, client: ClientId) -> TokenAttempts<'_> {
    TokenAttempts { bad, client, prefix: "", observer: None }
}

/// The target and headers of a request, and the result: a name, or a status and the challenge.
type Case = (&'static str, &'static [(&'static str, &'static str)], &'static str);

const CASES: &[Case] = &[
    ("/mcp", &[], "401 NoToken"),
    ("/mcp", &[("authorization", "Bearer right")], "ann"),
    ("/mcp", &[("authorization", "bEARER right")], "ann"),
    ("/mcp", &[("authorization", "Bearer wrong")], "401 BadToken"),
    ("/mcp", &[("authorization", "Bearer old")], "401 BadToken"),
    ("/mcp", &[("authorization", "Bearer later")], "503 -"),
    ("/mcp", &[("authorization", "Bearer elsewhere")], "403 -"),
    ("/mcp", &[("authorization", "Bearer right right")], "401 BadToken"),
    ("/mcp", &[("authorization", "Bearer right, Bearer right")], "401 BadToken"),
    ("/mcp", &[("authorization", "Bearer ")], "401 NoToken"),
    ("/mcp", &[("authorization", "Bearer")], "401 NoToken"),
    ("/mcp", &[("authorization", "Basic cmlnaHQ=")], "401 NoToken"),
    ("/mcp", &[("authorization", "right")], "401 NoToken"),
    (
        "/mcp",
        &[("authorization", "Bearer right"), ("authorization", "Bearer right")],
        "400 BadRequest",
    ),
    ("/mcp?access_token=right", &[], "400 BadRequest"),
    ("/mcp?a=b&access_token=right", &[("authorization", "Bearer right")], "400 BadRequest"),
    ("/messages?sessionId=access_token", &[("authorization", "Bearer right")], "ann"),
    ("/mcp", &[("cookie", "a=b; access_token=right")], "400 BadRequest"),
    ("/mcp", &[("cookie", "a=b"), ("authorization", "Bearer right")], "ann"),
    (
        "/mcp",
        &[("content-type", "application/x-www-form-urlencoded"), ("authorization", "Bearer right")],
        "400 BadRequest",
    ),
];

#[tokio::test]
async fn a_token_counts_once_and_in_its_header_only() {
    for (target, headers, expected) in CASES {
        let mut request = Request::builder().uri(*target);
        for (name, value) in *headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(()).unwrap();
        let bad = BadTokens::default();
        let attempts = attempts(&bad, ClientId::next());
        let seen = match admit(&OneToken, &mut request, attempts).await {
            Ok(admitted) => admitted.identity.principal().as_str().to_owned(),
            Err(response) => {
                let challenge = response.headers().get(WWW_AUTHENTICATE);
                let challenge = challenge.map_or("-", |value| value.to_str().unwrap());
                format!("{} {challenge}", response.status().as_u16())
            }
        };
        assert_eq!(seen, *expected, "{target} {headers:?}");
    }
}

#[tokio::test]
async fn the_token_leaves_the_request() {
    let mut request = Request::builder().header(AUTHORIZATION, "Bearer right").body(()).unwrap();
    let bad = BadTokens::default();
    let attempts = attempts(&bad, ClientId::next());
    let admitted = admit(&OneToken, &mut request, attempts).await.unwrap();
    assert!(request.headers().is_empty());
    assert!(!format!("{admitted:?}").contains("right"), "{admitted:?}");
}

#[test]
fn bytes_that_are_no_text_are_no_token() {
    let value = HeaderValue::from_bytes(b"Bearer \xff\xfe").unwrap();
    assert!(BearerToken::new(value).is_none());
    let token = BearerToken::new(HeaderValue::from_static("bearer   abc ")).unwrap();
    assert_eq!(token.expose(), "abc");
}

/// An attacker who guesses is stopped; clients at other addresses, and on this machine, are not.
#[tokio::test]
async fn bad_tokens_are_counted_by_where_they_come_from() {
    let bad = BadTokens::default();
    let status = async |token: &str, from: &str| {
        let value = format!("Bearer {token}");
        let mut request = Request::builder().header(AUTHORIZATION, value).body(()).unwrap();
        let client = ClientId::next_at(from.parse().unwrap());
        let attempts = attempts(&bad, client);
        match admit(&OneToken, &mut request, attempts).await {
            Ok(_) => (200, false),
            Err(response) => {
                (response.status().as_u16(), response.headers().contains_key(RETRY_AFTER))
            }
        }
    };
    for count in 0..MAX_BAD_TOKENS {
        assert_eq!(status("wrong", "2001:db8::1").await, (401, false), "{count}");
        assert_eq!(status("wrong", "127.0.0.1").await, (401, false), "{count}");
    }
    // The same IPv6 network counts as the same address.
    assert_eq!(status("wrong", "2001:db8::2").await, (429, true));
    assert_eq!(status("wrong", "2001:db8:0:1::2").await, (401, false));
    // All programs on this machine share one address.
    assert_eq!(status("wrong", "127.0.0.1").await, (401, false));
}
