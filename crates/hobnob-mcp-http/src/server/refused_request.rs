//! Requests that the listener answers itself because their sender may not make them, for an audit log.
//!
//! The site, the gate and the requester report, the program that listens writes it down. What must stay
//! true: a report has nothing of a token in it.

use crate::server::authentication::IdentityRefusal;
use crate::server::guard::Refusal;
use hobnob_mcp_engine::Principal;
use std::fmt;
use std::net::IpAddr;

/// Hears of requests that are refused before a service sees them.
pub trait RefusalObserver: fmt::Debug + Send + Sync + 'static {
    /// Must not block: the answer leaves afterwards.
    fn request_refused(&self, request: &RefusedRequest<'_>);
}

/// A request that was refused.
#[derive(Debug, Clone, Copy)]
pub struct RefusedRequest<'a> {
    /// Where it came from.
    pub address: Option<IpAddr>,
    /// What the paths of the server begin with that it was for; empty at the root, and where the server
    /// was not looked for.
    pub prefix: &'a str,
    /// Whom its token names, if it counts.
    pub principal: Option<&'a Principal>,
    /// Why no service sees it.
    pub why: RequestRefusal<'a>,
}

/// Why a request was refused.
#[derive(Debug, Clone, Copy)]
pub enum RequestRefusal<'a> {
    /// It names another host, or comes from a web page that may not call.
    Guard {
        /// What is wrong with it.
        refusal: Refusal,
        /// The page, as the request names it.
        origin: Option<&'a str>,
    },
    /// It has no token.
    NoToken,
    /// It has a token where none may be, or more than one.
    MisplacedToken,
    /// Its token does not count.
    BadToken(IdentityRefusal),
    /// Its token was not looked at: too many bad ones came from the same address.
    TooManyBadTokens,
    /// Its token is for less.
    MissingScope,
    /// It names a session of another principal.
    OthersSession,
}
