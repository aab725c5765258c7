//! Serves the protected resource metadata (RFC 9728) of every server on a listener.
//!
//! Clients without a token learn here which authorization server to ask. The documents are made
//! once, from settings only, so that no request can change them.

use bytes::Bytes;
use hobnob_mcp_engine::{BoxFuture, ClientId};
use hobnob_mcp_http::{OpenRequest, OpenRoutes, ReplyBody};
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW,
    CACHE_CONTROL, CONTENT_TYPE,
};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use serde_json::json;

use super::public_url::{PublicUrl, WELL_KNOWN};
use super::scope_rules::DEFAULT_SCOPES;

#[cfg(test)]
mod tests;

/// The metadata of all servers on one listener, as open routes.
#[derive(Debug)]
pub struct ResourceDocuments {
    /// Path and contents; the first is the root server's.
    documents: Vec<(Box<str>, Bytes)>,
}

impl ResourceDocuments {
    /// Documents for the root server and the servers below these prefixes. `issuers` are exactly
    /// the `iss` values of tokens; leave it empty if only static tokens are accepted.
    pub fn new(public_url: &PublicUrl, prefixes: &[String], issuers: &[String]) -> Self {
        let document = |prefix: &str| {
            let path = format!("{WELL_KNOWN}{prefix}/mcp").into();
            (path, contents(&public_url.resource(prefix), issuers))
        };
        let mounted = prefixes.iter().filter(|prefix| !prefix.is_empty());
        let documents =
            std::iter::once(document("")).chain(mounted.map(|prefix| document(prefix))).collect();
        Self { documents }
    }

    fn find(&self, path: &str) -> Option<Bytes> {
        let path = path.trim_end_matches('/');
        // Clients that know no path find the root server's document at the bare well-known path.
        let root = self.documents.first().filter(|_| path == WELL_KNOWN);
        let exact = || self.documents.iter().find(|(known, _)| **known == *path);
        root.or_else(exact).map(|(_, contents)| contents.clone())
    }
}

fn contents(resource: &str, issuers: &[String]) -> Bytes {
    let mut document = json!({
        "resource": resource,
        "scopes_supported": DEFAULT_SCOPES,
        "bearer_methods_supported": ["header"],
        "resource_name": "Hobnob",
    });
    if !issuers.is_empty() {
        document["authorization_servers"] = issuers.into();
    }
    document.to_string().into()
}

impl OpenRoutes for ResourceDocuments {
    fn has(&self, request: OpenRequest<'_>) -> bool {
        let below = request.path.strip_prefix(WELL_KNOWN);
        below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    fn answer(
        &self,
        request: Request<Bytes>,
        _from: ClientId,
    ) -> BoxFuture<'_, Response<ReplyBody>> {
        let document = self.respond(request.method(), request.uri().path());
        Box::pin(std::future::ready(document.map(ReplyBody::full)))
    }
}

impl ResourceDocuments {
    fn respond(&self, method: &Method, path: &str) -> Response<Bytes> {
        let (status, body) = match (method, self.find(path)) {
            (_, None) => (StatusCode::NOT_FOUND, Bytes::new()),
            (&Method::GET | &Method::HEAD, Some(contents)) => (StatusCode::OK, contents),
            (&Method::OPTIONS, Some(_)) => (StatusCode::NO_CONTENT, Bytes::new()),
            (_, Some(_)) => (StatusCode::METHOD_NOT_ALLOWED, Bytes::new()),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let text = HeaderValue::from_static;
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, text("*"));
        match status {
            StatusCode::OK => {
                headers.insert(CONTENT_TYPE, text("application/json"));
                headers.insert(CACHE_CONTROL, text("max-age=300"));
            }
            StatusCode::NO_CONTENT => {
                headers.insert(ACCESS_CONTROL_ALLOW_METHODS, text("GET"));
                headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, text("MCP-Protocol-Version"));
            }
            StatusCode::METHOD_NOT_ALLOWED => {
                headers.insert(ALLOW, text("GET, HEAD, OPTIONS"));
            }
            _ => {}
        }
        response
    }
}
