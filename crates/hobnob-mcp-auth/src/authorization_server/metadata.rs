//! The authorization server's metadata (RFC 8414), served at both well-known addresses.
//!
//! What must stay true: every URL begins with the issuer, byte for byte.

use bytes::Bytes;
use http::header::CACHE_CONTROL;
use http::{HeaderValue, Response, StatusCode};
use serde_json::json;

use super::responses::document;
use super::settings::AuthorizationServerSettings;

/// How a client may prove itself at the token endpoint.
pub(super) const AUTH_METHODS: [&str; 3] = ["none", "client_secret_post", "client_secret_basic"];

/// The response with the server's metadata.
pub(super) fn metadata(settings: &AuthorizationServerSettings) -> Response<Bytes> {
    let issuer = settings.issuer();
    let scopes: Vec<_> = settings.scopes.iter().map(|scope| &*scope.name).collect();
    let value = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/oauth/authorize"),
        "token_endpoint": format!("{issuer}/oauth/token"),
        "registration_endpoint": format!("{issuer}/oauth/register"),
        "revocation_endpoint": format!("{issuer}/oauth/revoke"),
        "scopes_supported": scopes,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": AUTH_METHODS,
        "revocation_endpoint_auth_methods_supported": AUTH_METHODS,
        "client_id_metadata_document_supported": true,
        "authorization_response_iss_parameter_supported": true,
    });
    let mut response = document(StatusCode::OK, &value);
    let short_lived = HeaderValue::from_static("public, max-age=300");
    response.headers_mut().insert(CACHE_CONTROL, short_lived);
    response
}
