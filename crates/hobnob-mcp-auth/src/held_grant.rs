//! A grant in use: the stored grant, how it was obtained, and when to renew it.
//!
//! Logins and refreshes create them, and the authorizer holds one.

use std::sync::Arc;

use crate::grant_store::StoredGrant;
use crate::possession::PossessionKey;

#[cfg(test)]
mod tests;

/// A token is renewed at least this long before it expires, in seconds.
const MIN_MARGIN_SECONDS: u64 = 60;
/// Renewal is up to this much earlier at random, so that clients do not renew in step, in seconds.
const MAX_JITTER_SECONDS: u64 = 10;

/// How a grant was obtained, which decides what may help if the server refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obtained {
    /// Loaded from the store, where an earlier process left it.
    FromStore,
    /// By a refresh token.
    ByRefresh,
    /// By a login just now, so another login would bring nothing newer.
    ByLogin,
}

/// A grant in use.
#[derive(Debug)]
pub(crate) struct HeldGrant {
    pub(crate) stored: StoredGrant,
    pub(crate) obtained: Obtained,
    /// The key that the token is bound to; it ends with the process.
    pub(crate) possession: Option<Arc<PossessionKey>>,
    /// When to renew the token, in seconds since 1970.
    renew_at: Option<u64>,
}

impl HeldGrant {
    pub(crate) fn new(
        stored: StoredGrant,
        obtained: Obtained,
        possession: Option<Arc<PossessionKey>>,
    ) -> Self {
        let renew_at = renew_at(&stored, fastrand::u64(0..=MAX_JITTER_SECONDS));
        Self { stored, obtained, possession, renew_at }
    }

    /// Whether the grant should be renewed now, and can be without a person.
    pub(crate) fn is_due(&self, now: u64) -> bool {
        let refreshable = self.stored.refresh_token.is_some();
        refreshable && self.renew_at.is_some_and(|renew_at| renew_at <= now)
    }

    /// Whether the token has expired.
    pub(crate) fn is_over(&self, now: u64) -> bool {
        self.stored.expires_at.is_some_and(|end| end <= now)
    }
}

/// A tenth of the lifetime before the end, but at least a minute, and never in the first half.
fn renew_at(stored: &StoredGrant, jitter: u64) -> Option<u64> {
    let end = stored.expires_at?;
    let life = end.saturating_sub(stored.issued_at);
    let early = (life / 10).max(MIN_MARGIN_SECONDS) + jitter;
    Some(end.saturating_sub(early.min(life / 2)))
}
