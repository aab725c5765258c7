//! Who proves to a server that we may ask: the seam between a connection and an authorization.
//!
//! A carrier asks a [`RequestAuthorizer`] for the headers of every request, and tells it when the
//! server refused them. What must stay true: its headers go to the origin they were made for only.

use std::fmt;
use std::time::Duration;

use hobnob_mcp_engine::BoxFuture;
use http::{HeaderMap, HeaderValue, Method};
use reqwest::Url;

/// Supplies the credentials of each request, and gets others when a server refuses them.
///
/// Many requests ask at once: whoever implements it sees to it that they share one login.
pub trait RequestAuthorizer: Send + Sync + 'static {
    /// The headers that this request carries; none as long as nothing is known of the server.
    fn credentials<'a>(
        &'a self,
        request: RequestToAuthorize<'a>,
    ) -> BoxFuture<'a, Result<RequestCredentials, AuthorizationFailed>>;

    /// The server refused a request. Returns once it is worth sending again.
    fn renew(&self, refusal: CredentialRefusal) -> BoxFuture<'_, Result<(), AuthorizationFailed>>;

    /// How much longer than usual a greeting may take, because a person logs in meanwhile.
    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

/// A request that is about to be sent.
#[derive(Debug, Clone, Copy)]
pub struct RequestToAuthorize<'a> {
    /// The method of HTTP.
    pub method: &'a Method,
    /// Where it goes, query and all.
    pub url: &'a Url,
}

/// What one request carries to prove who asks.
#[derive(Default)]
pub struct RequestCredentials {
    /// Headers that are added to the request and replace those of the settings.
    pub headers: HeaderMap,
    /// Which credentials these are; a refusal names it again.
    pub version: u64,
}

impl fmt::Debug for RequestCredentials {
    /// The values are secrets, so they are left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.keys().collect();
        write!(f, "RequestCredentials(version {}, headers {names:?})", self.version)
    }
}

/// A request that a server did not take: HTTP 401, or 403 with `insufficient_scope`.
#[derive(Debug, Clone)]
pub struct CredentialRefusal {
    /// The status of the answer.
    pub status: u16,
    /// Every value of `WWW-Authenticate`, as it came.
    pub challenges: Vec<Box<str>>,
    /// The value of `DPoP-Nonce`.
    pub nonce: Option<HeaderValue>,
    /// The version of the credentials that were refused.
    pub version: u64,
    /// How often this request was refused before.
    pub attempt: u32,
    /// Who waits for the request.
    pub initiative: Initiative,
}

/// Who waits for a request, and so whether a person may be asked to log in for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initiative {
    /// Somebody wants its answer.
    Call,
    /// Nobody does: a standing stream, a notification, the end of a session.
    Background,
}

/// Why there are no credentials: what happened and what to do about it, for people.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AuthorizationFailed(pub Box<str>);
