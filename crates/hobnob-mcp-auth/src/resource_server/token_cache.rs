//! What is known of tokens that were verified lately, so that a client's next request costs little.
//!
//! The authentication asks it first. What must stay true: it holds no token, only a hash under a key
//! that nobody knows; nothing counts after the token has expired, nor after its verifier has taken
//! tokens back; and it is bounded.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use super::token_identity::TokenIdentity;

#[cfg(test)]
mod tests;

/// Tokens that are remembered at once.
const CAPACITY: usize = 4096;
/// How long a token is remembered at most: an issuer may have replaced its keys since.
const LONGEST: Duration = Duration::from_secs(5 * 60);

/// A hash under a key of this process, which is never shown, and the length of the token: nobody can look
/// for a second token with the same but by asking us, once for each try.
type TokenHash = (u64, usize);

#[derive(Debug)]
pub(super) struct TokenCache {
    key: RandomState,
    known: RwLock<HashMap<TokenHash, KnownToken>>,
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
        Self { key: RandomState::new(), known: RwLock::default() }
    }

    /// What is known of a token at this server. The caller compares the revocations.
    pub(super) fn find(&self, token: &str, prefix: &str, now: SystemTime) -> Option<KnownToken> {
        let hash = self.hash(token, prefix);
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&hash).filter(|known| now < known.until).cloned()
    }

    /// Remembers a token, until it expires or for a few minutes.
    pub(super) fn remember(&self, token: &str, prefix: &str, now: SystemTime, known: KnownToken) {
        let hash = self.hash(token, prefix);
        let until = known.until.min(now + LONGEST);
        let mut table = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if CAPACITY <= table.len() {
            table.retain(|_, known| now < known.until);
        }
        if CAPACITY <= table.len()
            && let Some(any) = table.keys().next().copied()
        {
            table.remove(&any);
        }
        table.insert(hash, KnownToken { until, ..known });
    }

    /// Forgets a token that is no longer valid.
    pub(super) fn forget(&self, token: &str, prefix: &str) {
        let hash = self.hash(token, prefix);
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove(&hash);
    }

    fn hash(&self, token: &str, prefix: &str) -> TokenHash {
        (self.key.hash_one((token, prefix)), token.len())
    }
}
