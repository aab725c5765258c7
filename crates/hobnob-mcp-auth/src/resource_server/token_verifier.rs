//! The port to whoever knows tokens: a list of them, an issuer's keys, or our authorization server.
//!
//! What must stay true: a token counts only for the resource it was issued for, and neither the token nor
//! a part of it is in an error.

use std::fmt;
use std::time::SystemTime;

use hobnob_mcp_engine::{BoxFuture, Principal};

use crate::scopes::Scopes;

/// Knows the tokens of one kind.
pub trait TokenVerifier: fmt::Debug + Send + Sync + 'static {
    /// Says whose token it is, if it was issued for this resource.
    fn verify<'a>(
        &'a self,
        token: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<VerifiedToken, TokenRefusal>>;

    /// Another number than before says that tokens which were valid may have been revoked. Whoever
    /// remembers what [`verify`](Self::verify) said asks again then; it is compared on every request,
    /// so it must cost next to nothing.
    fn revocations(&self) -> u64 {
        0
    }
}

/// What a token says once it has been checked.
#[derive(Debug, Clone)]
pub struct VerifiedToken {
    /// Whose token it is. Two tokens of the same person have the same.
    pub principal: Principal,
    /// What it may be used for.
    pub scopes: Scopes,
    /// When it ends, if it does.
    pub expires_at: Option<SystemTime>,
}

/// Why a token does not count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenRefusal {
    /// Nobody we trust issued it, it was changed or revoked, or it is no token at all. With several
    /// verifiers the next one is asked.
    #[error("the token is not known")]
    Unknown,
    /// It was valid once.
    #[error("the token has expired")]
    Expired,
    /// It says that it begins later.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// It was issued for something else.
    #[error("the token was issued for another resource")]
    OtherAudience,
    /// It is valid, and whoever owns it may not use this resource.
    #[error("the user of the token may not use this resource")]
    NotForUser,
    /// Whether it is valid cannot be said now. The text goes to the log and not to the caller.
    #[error("tokens cannot be checked at the moment: {0}")]
    Unavailable(Box<str>),
}
