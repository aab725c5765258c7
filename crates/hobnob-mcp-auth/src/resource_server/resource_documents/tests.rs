//! The documents at their places, and nothing anywhere else.

use super::ResourceDocuments;
use crate::resource_server::PublicUrl;
use bytes::Bytes;
use hobnob_mcp_engine::ClientId;
use hobnob_mcp_http::{OpenRequest, OpenRoutes as _};
use http::{HeaderMap, Method, Request};
use serde_json::Value;

fn documents() -> ResourceDocuments {
    let url = PublicUrl::parse("https://hub.example.com").unwrap();
    let prefixes = ["/p/work".to_owned()];
    ResourceDocuments::new(&url, &prefixes, &["https://id.example.com/tenant".to_owned()])
}

fn has(documents: &ResourceDocuments, path: &str) -> bool {
    documents.has(OpenRequest { method: &Method::GET, path, headers: &HeaderMap::new() })
}

/// Method, path, status, and the resource that is described.
const CASES: &[(&str, &str, u16, &str)] = &[
    ("GET", "/.well-known/oauth-protected-resource", 200, "https://hub.example.com/mcp"),
    ("GET", "/.well-known/oauth-protected-resource/", 200, "https://hub.example.com/mcp"),
    ("GET", "/.well-known/oauth-protected-resource/mcp", 200, "https://hub.example.com/mcp"),
    (
        "GET",
        "/.well-known/oauth-protected-resource/p/work/mcp",
        200,
        "https://hub.example.com/p/work/mcp",
    ),
    ("GET", "/.well-known/oauth-protected-resource/p/other/mcp", 404, ""),
    ("OPTIONS", "/.well-known/oauth-protected-resource/mcp", 204, ""),
    ("POST", "/.well-known/oauth-protected-resource/mcp", 405, ""),
];

/// A14: a proxy's or an attacker's headers are in none of the URLs.
#[tokio::test]
async fn documents_are_where_the_standard_says_and_name_the_public_url_only() {
    for (method, path, status, resource) in CASES {
        let request = Request::builder()
            .method(*method)
            .uri(*path)
            .header("host", "evil.example")
            .header("x-forwarded-host", "evil.example")
            .header("x-forwarded-proto", "http")
            .header("forwarded", "host=evil.example")
            .body(Bytes::new())
            .unwrap();
        let documents = documents();
        assert!(has(&documents, path), "{path}");
        let response = documents.answer(request, ClientId::next()).await;
        assert_eq!(response.status().as_u16(), *status, "{method} {path}");
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        if *status == 200 {
            let document: Value = serde_json::from_slice(response.body().bytes()).unwrap();
            assert_eq!(document["resource"], *resource, "{path}");
            assert_eq!(document["authorization_servers"][0], "https://id.example.com/tenant");
            assert!(!document["scopes_supported"].to_string().contains("offline_access"));
            assert!(!document.to_string().contains("evil"), "{document}");
        }
    }
}

#[test]
fn other_paths_are_not_its_own() {
    for path in
        ["/mcp", "/.well-known/oauth-protected-resources", "/.well-known/openid-configuration"]
    {
        assert!(!has(&documents(), path), "{path}");
    }
}
