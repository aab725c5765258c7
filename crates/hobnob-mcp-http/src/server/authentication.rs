//! The port to whoever knows credentials: a listener that has one asks it on every request.
//!
//! The gate calls it after the check of `Host` and `Origin`, before a session is looked up and before
//! the body is read. What must stay true: nothing of a token is in an answer, in the log, or travels on.

use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_types::{MethodName, Params};
use http::HeaderValue;
use std::fmt;
use std::sync::Arc;

/// Says who sends a request, from the token that it carries.
///
/// `prefix` is what the paths of the server begin with that the request is for, empty at the root:
/// each server on a socket is a resource of its own.
pub trait Authentication: fmt::Debug + Send + Sync + 'static {
    /// Whose token it is, if that is known from before and still holds. Every request of a client
    /// comes here first, so it neither waits nor allocates.
    fn recall(&self, token: &str, prefix: &str) -> Option<Arc<dyn Identity>>;

    /// Whose token it is. Asked when nothing is known of it.
    fn verify<'a>(
        &'a self,
        token: &'a str,
        prefix: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>>;

    /// The value of `WWW-Authenticate` of a refusal.
    fn challenge(&self, prefix: &str, reason: &ChallengeReason) -> Option<HeaderValue>;
}

/// Somebody whose token was valid.
pub trait Identity: fmt::Debug + Send + Sync + 'static {
    /// Who it is. All tokens of the same person have the same.
    fn principal(&self) -> &Principal;

    /// Whether the token lets them send this request to the server below `prefix`; else all scopes that
    /// it takes, separated by spaces.
    fn check(&self, prefix: &str, method: &MethodName, params: &Params) -> Result<(), Box<str>>;

    /// The same for a connection on which every request may come.
    fn check_all(&self, prefix: &str) -> Result<(), Box<str>>;
}

/// Why a token does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentityRefusal {
    /// It did until a moment ago. What was begun with it may be finished.
    Expired,
    /// It never did, or was revoked.
    Invalid,
    /// It counts from a later time on.
    NotYetValid,
    /// It counts at another server only.
    OtherAudience,
    /// It counts, and its owner may not use this server.
    Forbidden,
    /// Nobody can say now.
    Unavailable,
}

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChallengeReason {
    /// It has no token.
    NoToken,
    /// It has a token in a place where none may be, or more than one.
    BadRequest,
    /// Its token does not count.
    BadToken,
    /// Its token is for less; these scopes, separated by spaces, are needed.
    MissingScope(Box<str>),
}
