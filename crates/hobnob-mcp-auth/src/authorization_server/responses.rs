//! Responses of the endpoints for programs: JSON documents, OAuth errors, redirects.
//!
//! What must stay true: no response that contains a secret may be cached, and a refusal reveals
//! nothing of the store.

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ALLOW, CACHE_CONTROL, CONTENT_TYPE, LOCATION, RETRY_AFTER,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use super::failure::ServerFailure;
use crate::encoding::form;
use crate::web_page::harden;

/// An OAuth error: its code and its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OAuthRefusal {
    pub(super) code: &'static str,
    pub(super) description: &'static str,
}

impl OAuthRefusal {
    pub(super) const fn new(code: &'static str, description: &'static str) -> Self {
        Self { code, description }
    }
}

/// Why an endpoint for programs does not do what it was asked for.
#[derive(Debug)]
pub(super) enum EndpointFault {
    Refused(OAuthRefusal),
    /// The client may try again after this many seconds.
    TooMany(u64),
    Failed(ServerFailure),
}

impl From<OAuthRefusal> for EndpointFault {
    fn from(refusal: OAuthRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ServerFailure> for EndpointFault {
    fn from(failure: ServerFailure) -> Self {
        Self::Failed(failure)
    }
}

/// A JSON document that pages of any site may read, and that no cache may store.
pub(super) fn document(status: StatusCode, value: &Value) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(value.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Cookies have no effect here, so a page of another site learns nothing that is not public.
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// A refusal as a JSON document. RFC 6749, 5.2: a client that cannot prove itself gets 401.
pub(super) fn refusal(issuer: &str, refusal: OAuthRefusal) -> Response<Bytes> {
    let OAuthRefusal { code, description } = refusal;
    let status = match code {
        "invalid_client" => StatusCode::UNAUTHORIZED,
        "temporarily_unavailable" => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_REQUEST,
    };
    let value = json!({ "error": code, "error_description": description, "iss": issuer });
    let mut response = document(status, &value);
    if status == StatusCode::UNAUTHORIZED {
        let basic = HeaderValue::from_static("Basic realm=\"oauth\"");
        response.headers_mut().insert(WWW_AUTHENTICATE, basic);
    }
    response
}

/// The refusal of a client that sends too many requests.
pub(super) fn too_many(issuer: &str, seconds: u64) -> Response<Bytes> {
    let value = json!({
        "error": "temporarily_unavailable",
        "error_description": "too many requests: try again later",
        "iss": issuer,
    });
    let mut response = document(StatusCode::TOO_MANY_REQUESTS, &value);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// The response to a method that a path does not accept.
pub(super) fn wrong_method(allowed: &'static str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// The response to a CORS preflight: pages of any site may use these methods.
pub(super) fn preflight(allowed: &'static str) -> Response<Bytes> {
    let mut response = Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(allowed));
    let names = HeaderValue::from_static("authorization, content-type, mcp-protocol-version");
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, names);
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

/// Sends the browser back to the client; the caller has checked that the redirect is the client's.
pub(super) fn redirect<'a>(
    redirect: &str,
    parameters: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Response<Bytes> {
    let separator = if redirect.contains('?') { '&' } else { '?' };
    let place = format!("{redirect}{separator}{}", form(parameters));
    let mut response = Response::new(Bytes::new());
    match HeaderValue::try_from(place) {
        Ok(place) => {
            *response.status_mut() = StatusCode::SEE_OTHER;
            response.headers_mut().insert(LOCATION, place);
        }
        // Accepted redirects have only visible characters.
        Err(_) => *response.status_mut() = StatusCode::BAD_REQUEST,
    }
    harden(&mut response);
    response
}
