//! Requests that the listener refuses because their sender may not make them, for an audit log.
//!
//! The site, the gate and the requester report them; the embedding program records them. What must
//! stay true: a report contains no part of a token.

use crate::server::authentication::IdentityRefusal;
use crate::server::guard::Refusal;
use hobnob_mcp_engine::Principal;
use std::fmt;
use std::net::IpAddr;

/// Receives reports of requests that are refused before a service sees them.
pub trait RefusalObserver: fmt::Debug + Send + Sync + 'static {
    /// Reports a refused request. Must not block, since the response is sent afterwards.
    fn request_refused(&self, request: &RefusedRequest<'_>);
}

/// A request that was refused.
#[derive(Debug, Clone, Copy)]
pub struct RefusedRequest<'a> {
    /// The address it came from.
    pub address: Option<IpAddr>,
    /// The prefix of the server it was for; empty at the root, and if the server was not
    /// determined.
    pub prefix: &'a str,
    /// The principal of its token, if the token is valid.
    pub principal: Option<&'a Principal>,
    /// Why it was refused.
    pub why: RequestRefusal<'a>,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy)]
pub enum RequestRefusal<'a> {
    /// It names another host, or comes from a web page that may not call.
    Guard {
        /// The rule it breaks.
        refusal: Refusal,
        /// The page's origin, as the request names it.
        origin: Option<&'a str>,
    },
    /// It has no token.
    NoToken,
    /// It has more than one token, or a token in a wrong place.
    MisplacedToken,
    /// Its token is not accepted.
    BadToken(IdentityRefusal),
    /// Its token was not checked, because too many bad ones came from the same address.
    TooManyBadTokens,
    /// Its token lacks scopes.
    MissingScope,
    /// It names a session of another principal.
    OthersSession,
}
