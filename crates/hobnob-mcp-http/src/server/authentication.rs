//! The traits through which an embedding program authenticates the senders of requests. A listener
//! with an [`Authentication`] calls it for every request.
//!
//! The gate calls it after the check of `Host` and `Origin`, before it looks up a session or reads
//! the body. What must stay true: no part of a token gets into an answer or a log, or is passed on.

use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_types::{MethodName, Params};
use http::HeaderValue;
use std::fmt;
use std::sync::Arc;

/// Identifies the sender of a request by its token.
///
/// `prefix` is the beginning of the paths of the server that the request is for, empty at the root:
/// each server on a socket is a resource of its own.
pub trait Authentication: fmt::Debug + Send + Sync + 'static {
    /// The identity behind a token, if it is cached and still valid. Every request with a token is
    /// checked here first, so this must neither wait nor allocate.
    fn recall(&self, token: &str, prefix: &str) -> Option<Arc<dyn Identity>>;

    /// Verifies a token that [`recall`](Self::recall) does not know.
    fn verify<'a>(
        &'a self,
        token: &'a str,
        prefix: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>>;

    /// The value of `WWW-Authenticate` for a refusal.
    fn challenge(&self, prefix: &str, reason: &ChallengeReason) -> Option<HeaderValue>;
}

/// The bearer of a valid token.
pub trait Identity: fmt::Debug + Send + Sync + 'static {
    /// The principal of the token. All tokens of the same person have the same principal.
    fn principal(&self) -> &Principal;

    /// Whether the token allows this request to the server below `prefix`; the error lists all
    /// scopes that the request needs, separated by spaces.
    fn check(&self, prefix: &str, method: &MethodName, params: &Params) -> Result<(), Box<str>>;

    /// The same for a connection that may carry any request.
    fn check_all(&self, prefix: &str) -> Result<(), Box<str>>;
}

/// Why a token is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentityRefusal {
    /// It was valid until a moment ago. Work that began with it may be finished.
    Expired,
    /// It was never valid, or was revoked.
    Invalid,
    /// It becomes valid later.
    NotYetValid,
    /// It is valid only at another server.
    OtherAudience,
    /// It is valid, but its owner may not use this server.
    Forbidden,
    /// The token cannot be checked at the moment.
    Unavailable,
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChallengeReason {
    /// The request has no token.
    NoToken,
    /// The request has more than one token, or a token in a wrong place.
    BadRequest,
    /// The token of the request is not accepted.
    BadToken,
    /// The token lacks scopes; the request needs these, separated by spaces.
    MissingScope(Box<str>),
}
