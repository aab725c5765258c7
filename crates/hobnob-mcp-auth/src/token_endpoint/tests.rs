//! Responses of token endpoints: which are tokens, which are refusals, which are neither.

use super::{TokenEndpoint, WantedToken, oauth_refusal};
use crate::discovery::Abilities;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest, FetchResponse};
use hobnob_mcp_engine::BoxFuture;
use http::HeaderMap;
use reqwest::Url;

struct Canned(u16, &'static str);

impl Fetch for Canned {
    fn fetch(&self, _: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        let (status, body) = (self.0, self.1.as_bytes().to_vec());
        Box::pin(async move { Ok(FetchResponse { status, headers: HeaderMap::new(), body }) })
    }
}

async fn outcome(status: u16, body: &'static str) -> String {
    let url = Url::parse("https://as.example/token").unwrap();
    let endpoint = TokenEndpoint {
        fetch: &Canned(status, body),
        url: &url,
        issuer: "https://as.example",
        abilities: &Abilities::default(),
        client: None,
        possession: None,
        wanted: WantedToken::Access,
        now: 1000,
    };
    match endpoint.request(&[]).await {
        Ok(token) => format!("{:?} {}", token.expires_at, token.refresh_token.is_some()),
        Err(AuthError::Refused { code, .. }) => format!("refused {code}"),
        Err(AuthError::Unavailable(_)) => "later".into(),
        Err(_) => "stopped".into(),
    }
}

#[tokio::test]
async fn only_a_clean_refusal_is_one() {
    let cases = [
        (200, r#"{"access_token":"t","token_type":"bEaReR","expires_in":60}"#, "Some(1060) false"),
        (
            200,
            r#"{"access_token":"t","token_type":"Bearer","expires_in":"60","refresh_token":"r"}"#,
            "Some(1060) true",
        ),
        (200, r#"{"access_token":"t","token_type":"Bearer"}"#, "None false"),
        (200, r#"{"access_token":"t","token_type":"mac"}"#, "stopped"),
        (200, r#"{"access_token":"t","token_type":"DPoP"}"#, "stopped"),
        (200, r#"{"access_token":"t","token_type":"N_A"}"#, "stopped"),
        (200, r#"{"access_token":"t\r\nx: y","token_type":"Bearer"}"#, "stopped"),
        (200, "<html>", "stopped"),
        (400, r#"{"error":"invalid_grant"}"#, "refused invalid_grant"),
        (401, r#"{"error":"invalid_client"}"#, "refused invalid_client"),
        (400, "<html>", "later"),
        (302, "", "later"),
        (429, r#"{"error":"invalid_grant"}"#, "later"),
        (500, r#"{"error":"invalid_grant"}"#, "later"),
        (503, "", "later"),
    ];
    for (status, body, expected) in cases {
        assert_eq!(outcome(status, body).await, expected, "{status} {body}");
    }
}

#[test]
fn refusals_are_clean_lines() {
    let error = oauth_refusal("a\nb", Some("x\u{1b}[31m\ny"));
    assert_eq!(error.to_string(), "the authorization server refused (unknown error): x [31m y");
}
