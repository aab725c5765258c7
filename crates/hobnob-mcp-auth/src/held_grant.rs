//! A grant in use: the stored one, how it came about, and when to get the next.
//!
//! The login and the refresh make them, the authorizer holds one.

use std::sync::Arc;

use crate::grant_store::StoredGrant;
use crate::possession::PossessionKey;

#[cfg(test)]
mod tests;

/// A token is renewed at least this long before it ends, in seconds.
const MARGIN: u64 = 60;
/// How much earlier chance may have it renewed, so that not everybody comes at once.
const JITTER: u64 = 10;

/// How a grant came about, and so what may help if the server refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obtained {
    /// An earlier process left it in the store.
    FromStore,
    /// A refresh token got it.
    ByRefresh,
    /// It is the newest there can be.
    ByLogin,
}

/// A grant in use.
#[derive(Debug)]
pub(crate) struct HeldGrant {
    pub(crate) stored: StoredGrant,
    pub(crate) obtained: Obtained,
    /// The key that the token is bound to; ends with the process.
    pub(crate) possession: Option<Arc<PossessionKey>>,
    /// From when on the next one is wanted.
    renew_at: Option<u64>,
}

impl HeldGrant {
    pub(crate) fn new(
        stored: StoredGrant,
        obtained: Obtained,
        possession: Option<Arc<PossessionKey>>,
    ) -> Self {
        let renew_at = renew_at(&stored, fastrand::u64(0..=JITTER));
        Self { stored, obtained, possession, renew_at }
    }

    /// Whether it is time for the next one, and there is a way to get it without a person.
    pub(crate) fn is_due(&self, now: u64) -> bool {
        let refreshable = self.stored.refresh_token.is_some();
        refreshable && self.renew_at.is_some_and(|renew_at| renew_at <= now)
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self, now: u64) -> bool {
        self.stored.expires_at.is_some_and(|end| end <= now)
    }
}

/// A tenth of its life before the end, but at least a minute; never before half of it is over.
fn renew_at(stored: &StoredGrant, jitter: u64) -> Option<u64> {
    let end = stored.expires_at?;
    let life = end.saturating_sub(stored.issued_at);
    let early = (life / 10).max(MARGIN) + jitter;
    Some(end.saturating_sub(early.min(life / 2)))
}
