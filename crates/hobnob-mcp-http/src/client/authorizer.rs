//! The port through which a connection gets its credentials.
//!
//! A carrier asks a [`RequestAuthorizer`] for the headers of every request, and reports refusals to
//! it. What must stay true: the headers go only to the origin they were made for.

use std::fmt;
use std::time::Duration;

use hobnob_mcp_engine::BoxFuture;
use http::{HeaderMap, HeaderValue, Method};
use reqwest::Url;

/// Supplies the credentials of each request, and renews them when a server refuses them.
///
/// Requests run concurrently, so an implementation must make them share one login.
pub trait RequestAuthorizer: Send + Sync + 'static {
    /// The headers to add to this request; none while the server has not asked for any.
    fn credentials<'a>(
        &'a self,
        request: RequestToAuthorize<'a>,
    ) -> BoxFuture<'a, Result<RequestCredentials, AuthorizationFailed>>;

    /// Reports that the server refused a request. Returns once the request is worth sending again.
    fn renew(&self, refusal: CredentialRefusal) -> BoxFuture<'_, Result<(), AuthorizationFailed>>;

    /// How much longer than usual connecting may take, because a person logs in meanwhile.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

/// A request that is about to be sent.
#[derive(Debug, Clone, Copy)]
pub struct RequestToAuthorize<'a> {
    /// The method of the request.
    pub method: &'a Method,
    /// The full URL, including the query.
    pub url: &'a Url,
}

/// The credentials of one request.
#[derive(Default)]
pub struct RequestCredentials {
    /// Headers to add to the request; they replace configured headers of the same name.
    pub headers: HeaderMap,
    /// The version of these credentials, which a refusal repeats.
    pub version: u64,
}

impl fmt::Debug for RequestCredentials {
    /// Leaves the header values out, since they are secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().collect();
        write!(f, "RequestCredentials(version {}, headers {names:?})", self.version)
    }
}

/// A request that a server refused with HTTP 401, or with 403 and `insufficient_scope`.
#[derive(Debug, Clone)]
pub struct CredentialRefusal {
    /// The HTTP status code.
    pub status: u16,
    /// Every value of `WWW-Authenticate`, as it came.
    pub challenges: Vec<Box<str>>,
    /// The value of `DPoP-Nonce`, if there is one.
    pub nonce: Option<HeaderValue>,
    /// The version of the credentials that were refused.
    pub version: u64,
    /// How often this request was refused before.
    pub attempt: u32,
    /// Whether a caller waits for the request.
    pub initiative: Initiative,
}

/// Whether a caller waits for a request, and so whether a person may be asked to log in for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initiative {
    /// A caller waits for the answer.
    Call,
    /// No caller waits: a standing stream, a notification, the end of a session.
    Background,
}

/// Why there are no credentials: what happened and what to do about it, for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AuthorizationFailed(pub Box<str>);
