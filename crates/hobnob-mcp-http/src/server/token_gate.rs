//! Identifies people by a token at a page beside MCP: the site adds a gate to every request of open
//! routes, if its listener requires tokens.
//!
//! What must stay true: a token counts here exactly as at `/mcp`: the same verifiers, the same limits
//! of bad tokens and of requests, and the same reports of refusals.

use crate::server::authentication::{Authentication, Identity, IdentityRefusal};
use crate::server::gate::{BadTokens, TokenAttempts, Unidentified, identify};
use crate::server::limits::HttpLimits;
use crate::server::refused_request::{RefusalObserver, RequestRefusal};
use crate::server::request_rate::{RateExceeded, RequestRates};
use hobnob_mcp_engine::{ClientId, Principal};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[cfg(test)]
mod tests;

/// The check of tokens at one listener.
#[derive(Clone, Debug)]
pub struct TokenGate {
    pub(crate) authentication: Arc<dyn Authentication>,
    pub(crate) bad: Arc<BadTokens>,
    pub(crate) rates: Option<Arc<RequestRates>>,
    pub(crate) observer: Option<Arc<dyn RefusalObserver>>,
}

/// Why a token opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenDenied {
    /// It is not accepted at any of the servers.
    Refused(IdentityRefusal),
    /// It was not checked, because of the bad ones from the same address; the next may come after
    /// this many seconds.
    TooMany(u64),
}

impl TokenGate {
    /// A gate of its own, for routes behind no listener of MCP. Its rates and bad tokens count for
    /// itself alone.
    pub fn new(authentication: Arc<dyn Authentication>, limits: &HttpLimits) -> Self {
        let rates = RequestRates::new(limits).map(Arc::new);
        Self { authentication, bad: Arc::default(), rates, observer: None }
    }

    /// The bearer of a token, at the first of these servers that accepts it. A server is named by its
    /// prefix, the one at the root by an empty one.
    ///
    /// # Errors
    /// When none accepts it; the refusal was reported and counted.
    pub async fn admit(
        &self,
        token: &str,
        prefixes: &[&str],
        client: ClientId,
    ) -> Result<TokenBearer, TokenDenied> {
        let prefix = prefixes.first().copied().unwrap_or_default();
        let observer = self.observer.as_deref();
        let attempts = TokenAttempts { bad: &self.bad, client, prefix, observer };
        let identified = identify(&*self.authentication, token, prefixes, attempts).await;
        let (identity, prefix) = identified.map_err(|why| match why {
            Unidentified::Refused(why) => TokenDenied::Refused(why),
            Unidentified::TooMany(seconds) => TokenDenied::TooMany(seconds),
        })?;
        let principal = identity.principal().clone();
        if principal.as_str().is_empty() {
            // A secret that names no principal stands for requests of programs, not for a person.
            attempts.report(RequestRefusal::BadToken(IdentityRefusal::Forbidden));
            return Err(TokenDenied::Refused(IdentityRefusal::Forbidden));
        }
        Ok(TokenBearer {
            gate: self.clone(),
            token: token.into(),
            prefix: prefix.into(),
            principal,
        })
    }
}

/// A person who has presented a token, which is checked again whenever they use it. It is neither
/// `Display` nor does its `Debug` show the token.
pub struct TokenBearer {
    gate: TokenGate,
    token: Box<str>,
    prefix: Box<str>,
    principal: Principal,
}

impl TokenBearer {
    /// The principal of the token. It never changes.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The prefix of the server that accepts the token.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What the token allows now.
    ///
    /// # Errors
    /// When it has expired or was revoked, or cannot be checked at the moment.
    pub async fn identity(&self) -> Result<Arc<dyn Identity>, IdentityRefusal> {
        let (authentication, prefix) = (&self.gate.authentication, &self.prefix);
        let identity = match authentication.recall(&self.token, prefix) {
            Some(identity) => identity,
            None => authentication.verify(&self.token, prefix).await?,
        };
        match *identity.principal() == self.principal {
            true => Ok(identity),
            false => Err(IdentityRefusal::Invalid),
        }
    }

    /// Counts a request with a body of this size, like one at `/mcp`.
    ///
    /// # Errors
    /// When the principal has used up a limit: how long to wait.
    pub fn count(&self, bytes: usize) -> Result<(), Duration> {
        let Some(rates) = &self.gate.rates else { return Ok(()) };
        let counted = rates.count(&self.principal, bytes as u64, Instant::now());
        counted.map_err(|exceeded| match exceeded {
            RateExceeded::Requests(wait) | RateExceeded::Bytes(wait) => wait,
        })
    }

    /// Reports a request that the token does not allow, since it lacks scopes.
    pub fn report_missing_scope(&self, client: ClientId) {
        let (bad, observer) = (&*self.gate.bad, self.gate.observer.as_deref());
        let attempts = TokenAttempts { bad, client, prefix: &self.prefix, observer };
        attempts.report_of(&self.principal, RequestRefusal::MissingScope);
    }
}

impl fmt::Debug for TokenBearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { principal, prefix, .. } = self;
        f.debug_struct("TokenBearer").field("principal", principal).field("at", prefix).finish()
    }
}
