//! A18: where metadata is looked for, and which issuers are trusted.

use super::{Discovered, IssuerChoice, discover, metadata_places};
use crate::endpoint_rule::EndpointRule;
use crate::error::AuthError;
use crate::fetch::{Fetch, FetchRequest, FetchResponse};
use hobnob_mcp_engine::BoxFuture;
use http::HeaderMap;
use parking_lot::Mutex;
use reqwest::Url;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Documents by URL, and the URLs that were fetched.
#[derive(Default)]
struct Documents {
    at: HashMap<&'static str, Value>,
    asked: Mutex<Vec<String>>,
}

impl Fetch for Documents {
    fn fetch(&self, request: FetchRequest) -> BoxFuture<'_, Result<FetchResponse, AuthError>> {
        Box::pin(async move {
            self.asked.lock().push(request.url.to_string());
            let found = self.at.get(request.url.as_str());
            let (status, body) = found.map_or((404, String::new()), |it| (200, it.to_string()));
            Ok(FetchResponse { status, headers: HeaderMap::new(), body: body.into_bytes() })
        })
    }
}

const SERVER: &str = "https://mcp.example/mcp";
const RESOURCE: &str = "https://mcp.example/.well-known/oauth-protected-resource/mcp";

fn metadata(issuer: &str, base: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{base}/authorize"),
        "token_endpoint": format!("{base}/token"),
        "code_challenge_methods_supported": ["S256"],
    })
}

async fn found(documents: &Documents, choice: &IssuerChoice) -> Result<Discovered, AuthError> {
    discover(documents, &Url::parse(SERVER).unwrap(), None, choice).await
}

#[test]
fn places_are_those_of_the_specification_in_its_order() {
    let places = |issuer: &str| -> Vec<String> {
        let found = metadata_places(issuer, EndpointRule::Encrypted).unwrap();
        found.iter().map(Url::to_string).collect()
    };
    assert_eq!(
        places("https://as.example/a/b"),
        [
            "https://as.example/.well-known/oauth-authorization-server/a/b",
            "https://as.example/.well-known/openid-configuration/a/b",
            "https://as.example/a/b/.well-known/openid-configuration",
        ]
    );
    assert_eq!(
        places("https://as.example"),
        [
            "https://as.example/.well-known/oauth-authorization-server",
            "https://as.example/.well-known/openid-configuration",
        ]
    );
    assert!(metadata_places("http://as.example", EndpointRule::Encrypted).is_err());
    assert!(metadata_places("https://as.example?x", EndpointRule::Encrypted).is_err());
}

#[tokio::test]
async fn an_issuer_is_compared_byte_for_byte() {
    let cases = [
        ("https://as.example", "https://as.example", true),
        ("https://as.example/", "https://as.example/", true),
        ("https://as.example", "https://as.example/", false),
        ("https://as.example/", "https://as.example", false),
        ("https://as.example", "https://AS.example", false),
        ("https://as.example", "https://as.example:443", false),
        ("https://as.example", "https://evil.example", false),
    ];
    for (named, says, used) in cases {
        let mut documents = Documents::default();
        let resource = json!({ "resource": SERVER, "authorization_servers": [named] });
        documents.at.insert(RESOURCE, resource);
        documents.at.insert(
            "https://as.example/.well-known/oauth-authorization-server",
            metadata(says, "https://as.example"),
        );
        let outcome = found(&documents, &IssuerChoice::default()).await;
        assert_eq!(outcome.is_ok(), used, "{named} {says}");
        if let Ok(discovered) = outcome {
            assert_eq!(&*discovered.issuer, named);
            assert_eq!(discovered.resource.as_deref(), Some(SERVER));
        }
    }
}

#[tokio::test]
async fn a_pinned_issuer_and_then_a_known_one_come_first() {
    let mut documents = Documents::default();
    let issuers = ["https://one.example", "https://two.example"];
    documents.at.insert(RESOURCE, json!({ "resource": SERVER, "authorization_servers": issuers }));
    let places = [
        "https://one.example/.well-known/oauth-authorization-server",
        "https://two.example/.well-known/oauth-authorization-server",
    ];
    for (place, issuer) in places.into_iter().zip(issuers) {
        documents.at.insert(place, metadata(issuer, issuer));
    }
    let cases = [
        (None, None, Some(issuers[0])),
        (None, Some(issuers[1]), Some(issuers[1])),
        (None, Some("https://gone.example"), Some(issuers[0])),
        (Some(issuers[1]), Some(issuers[0]), Some(issuers[1])),
        (Some("https://gone.example"), None, None),
    ];
    for (pinned, known, expected) in cases {
        let known = known.into_iter().map(Into::into).collect();
        let choice = IssuerChoice { pinned: pinned.map(Into::into), known, document: None };
        let outcome = found(&documents, &choice).await.ok();
        assert_eq!(outcome.as_ref().map(|it| &*it.issuer), expected, "{pinned:?}");
    }
}

#[tokio::test]
async fn without_resource_metadata_only_the_origin_is_used() {
    const ORIGIN: &str = "https://mcp.example/.well-known/oauth-authorization-server";
    let cases = [
        (metadata("https://mcp.example", "https://mcp.example"), true),
        (metadata("https://mcp.example/oauth", "https://mcp.example/oauth"), true),
        (metadata("https://evil.example", "https://mcp.example"), false),
        (metadata("https://mcp.example", "https://evil.example"), false),
        (metadata("https://mcp.example", "http://mcp.example"), false),
    ];
    for (document, used) in cases {
        let mut documents = Documents::default();
        documents.at.insert(ORIGIN, document.clone());
        let outcome = found(&documents, &IssuerChoice::default()).await;
        assert_eq!(outcome.is_ok(), used, "{document}");
    }
    let documents = Documents::default();
    let fixed = found(&documents, &IssuerChoice::default()).await.unwrap();
    assert_eq!(fixed.server.token_endpoint.as_str(), "https://mcp.example/token");
    assert_eq!(fixed.resource, None);
    assert_eq!(documents.asked.lock().len(), 3);
}

#[tokio::test]
async fn nobody_logs_in_where_codes_are_not_protected() {
    for methods in [json!([]), json!(["plain"]), Value::Null] {
        let mut document = metadata("https://as.example", "https://as.example");
        document["code_challenge_methods_supported"] = methods.clone();
        if methods.is_null() {
            document.as_object_mut().unwrap().remove("code_challenge_methods_supported");
        }
        let mut documents = Documents::default();
        let resource =
            json!({ "resource": SERVER, "authorization_servers": ["https://as.example"] });
        documents.at.insert(RESOURCE, resource);
        documents.at.insert("https://as.example/.well-known/oauth-authorization-server", document);
        let discovered = found(&documents, &IssuerChoice::default()).await.unwrap();
        assert!(discovered.server.authorization_endpoint.is_none(), "{methods}");
    }
}

#[tokio::test]
async fn endpoints_that_are_no_safe_urls_end_the_login() {
    for endpoint in ["javascript:alert(1)", "file:///etc/passwd", "http://as.example/authorize"] {
        let mut document = metadata("https://as.example", "https://as.example");
        document["authorization_endpoint"] = endpoint.into();
        let mut documents = Documents::default();
        let resource =
            json!({ "resource": SERVER, "authorization_servers": ["https://as.example"] });
        documents.at.insert(RESOURCE, resource);
        documents.at.insert("https://as.example/.well-known/oauth-authorization-server", document);
        assert!(found(&documents, &IssuerChoice::default()).await.is_err(), "{endpoint}");
    }
}
