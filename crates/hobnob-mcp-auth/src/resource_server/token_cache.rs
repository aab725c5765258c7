//! What is known of tokens that were verified lately, so that a client's next request costs little.
//!
//! The authentication asks it first. What must stay true: only the very token that was verified is found;
//! it is shown nowhere; nothing counts after the token has expired, nor after its verifier has taken
//! tokens back; and it is bounded.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use super::token_identity::TokenIdentity;

#[cfg(test)]
mod tests;

/// Tokens that are remembered at once.
const CAPACITY: usize = 4096;
/// How long a token is remembered at most: an issuer may have replaced its keys since.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// What is known of one token, below one prefix or several.
type KnownPlaces = Vec<(Box<str>, KnownToken)>;

/// Every token that is remembered.
pub(super) struct TokenCache {
    known: RwLock<HashMap<Box<str>, KnownPlaces>>,
}

/// What was found out about a token.
#[derive(Debug, Clone)]
pub(super) struct KnownToken {
    pub(super) identity: Arc<TokenIdentity>,
    /// Which verifier knew it, and how often that one had taken tokens back by then.
    pub(super) verifier: usize,
    pub(super) revocations: u64,
    /// When it must be verified again.
    pub(super) until: SystemTime,
}

impl TokenCache {
    pub(super) fn new() -> Self {
        Self { known: RwLock::default() }
    }

    /// What is known of a token at this server. The caller compares the revocations.
    pub(super) fn find(&self, token: &str, prefix: &str, now: SystemTime) -> Option<KnownToken> {
        let table = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let (_, known) = table.get(token)?.iter().find(|(at, _)| **at == *prefix)?;
        (now < known.until).then(|| known.clone())
    }

    /// Remembers a token, until it expires or for a few minutes.
    pub(super) fn remember(&self, token: &str, prefix: &str, now: SystemTime, known: KnownToken) {
        let until = known.until.min(now + LONGEST);
        let mut table = self.known.write().unwrap_or_else(PoisonError::into_inner);
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

    /// Forgets a token that is no longer valid.
    pub(super) fn forget(&self, token: &str, prefix: &str) {
        let mut table = self.known.write().unwrap_or_else(PoisonError::into_inner);
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
