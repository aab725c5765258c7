//! The port for token verifiers: static tokens, an issuer's keys, or our authorization server.
//!
//! What must stay true: a token is accepted only for the resource it was issued for, and no error
//! contains the token or a part of it.

use std::fmt;
use std::time::SystemTime;

use hobnob_mcp_engine::{BoxFuture, Principal};

use crate::scopes::Scopes;

/// Verifies tokens of one kind.
pub trait TokenVerifier: fmt::Debug + Send + Sync + 'static {
    /// Verifies a token for this resource, and says who its bearer is and what it allows.
    fn verify<'a>(
        &'a self,
        token: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<VerifiedToken, TokenRefusal>>;

    /// A count that changes whenever valid tokens may have been revoked. A caller that caches
    /// results of [`verify`](Self::verify) must then verify again. It compares the count on every
    /// request, so this must be very cheap.
    fn revocations(&self) -> u64 {
        0
    }
}

/// The facts of a verified token.
#[derive(Debug, Clone)]
pub struct VerifiedToken {
    /// The principal of the token. Two tokens of the same person have the same principal.
    pub principal: Principal,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// When the token expires, if it does.
    pub expires_at: Option<SystemTime>,
}

/// Why a token is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenRefusal {
    /// No trusted issuer issued it, it was changed or revoked, or it is no token at all. If there
    /// are several verifiers, the next one is asked.
    #[error("the token is not known")]
    Unknown,
    /// The token was valid, but has expired.
    #[error("the token has expired")]
    Expired,
    /// The token becomes valid later.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// The token was issued for another resource.
    #[error("the token was issued for another resource")]
    OtherAudience,
    /// The token is valid, but its owner may not use this resource.
    #[error("the user of the token may not use this resource")]
    NotForUser,
    /// The token cannot be checked at the moment. The text is for the log, not for the caller.
    #[error("tokens cannot be checked at the moment: {0}")]
    Unavailable(Box<str>),
}
