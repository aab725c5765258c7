//! A cache of recently verified tokens, so that a client's next request is cheap.
//!
//! The authentication asks it first. What must stay true: only exactly the token that was verified
//! is found; the cache prints no token; no entry outlives its token or a revocation by its
//! verifier; and the number of entries is bounded.

use parking_lot::RwLock;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::token_identity::TokenIdentity;

#[cfg(test)]
mod tests;

/// How many tokens are cached at a time.
const CAPACITY: usize = 4096;
/// How long a token is cached at most, since its issuer may have replaced its keys.
const MAX_AGE: Duration = Duration::from_secs(5 * 60);

/// The entries of one token, by the prefix it was verified for.
type KnownPlaces = Vec<(Box<str>, KnownToken)>;

/// The entries of all cached tokens.
pub(super) struct TokenCache {
    known: RwLock<HashMap<Box<str>, KnownPlaces>>,
}

/// The result of verifying a token.
#[derive(Debug, Clone)]
pub(super) struct KnownToken {
    pub(super) identity: Arc<TokenIdentity>,
    /// The index of the verifier, and its revocation count before the verification.
    pub(super) verifier: usize,
    pub(super) revocations: u64,
    /// When the token must be verified again.
    pub(super) until: SystemTime,
}

impl TokenCache {
    pub(super) fn new() -> Self {
        Self { known: RwLock::default() }
    }

    /// The entry of a token at this server. The caller must compare the revocation count.
    pub(super) fn find(&self, token: &str, prefix: &str, now: SystemTime) -> Option<KnownToken> {
        let table = self.known.read();
        let (_, known) = table.get(token)?.iter().find(|(at, _)| **at == *prefix)?;
        (now < known.until).then(|| known.clone())
    }

    /// Caches a token until it expires, but at most for a few minutes.
    pub(super) fn remember(&self, token: &str, prefix: &str, now: SystemTime, known: KnownToken) {
        let until = known.until.min(now + MAX_AGE);
        let mut table = self.known.write();
        if CAPACITY <= table.len() {
            table.retain(|_, places| places.iter().any(|(_, known)| now < known.until));
        }
        if CAPACITY <= table.len()
            && let Some(any) = table.keys().next().cloned()
        {
            table.remove(&any);
        }
        let places = table.entry(token.into()).or_default();
        places.retain(|(at, known)| **at != *prefix && now < known.until);
        places.push((prefix.into(), KnownToken { until, ..known }));
    }

    /// Removes a token that is no longer valid.
    pub(super) fn forget(&self, token: &str, prefix: &str) {
        let mut table = self.known.write();
        if let Some(places) = table.get_mut(token) {
            places.retain(|(at, _)| **at != *prefix);
            if places.is_empty() {
                table.remove(token);
            }
        }
    }
}

impl fmt::Debug for TokenCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenCache")
    }
}
