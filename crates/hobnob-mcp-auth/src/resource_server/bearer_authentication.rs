//! Bearer tokens for a listener: asks its verifiers in turn, caches the results, writes challenges.
//!
//! The HTTP server calls it. What must stay true: a token is verified for the one resource that the
//! request is for, and a token that no verifier knows is refused.

use std::sync::Arc;
use std::time::SystemTime;

use hobnob_mcp_engine::BoxFuture;
use hobnob_mcp_http::{Authentication, ChallengeReason, Identity, IdentityRefusal};
use http::HeaderValue;

use super::challenge_writer::challenge;
use super::public_url::PublicUrl;
use super::scope_rules::{AccessRights, NamedOwners};
use super::token_cache::{KnownToken, TokenCache};
use super::token_identity::TokenIdentity;
use super::token_verifier::{TokenRefusal, TokenVerifier, VerifiedToken};

#[cfg(test)]
mod tests;

/// A longer token is refused without asking a verifier, in bytes.
const MAX_TOKEN: usize = 8 << 10;

/// Authenticates the requests of one listener by their bearer tokens.
#[derive(Debug)]
pub struct BearerAuthentication {
    public_url: PublicUrl,
    verifiers: Vec<Arc<dyn TokenVerifier>>,
    owners: Arc<dyn NamedOwners>,
    cache: TokenCache,
    now: fn() -> SystemTime,
}

impl BearerAuthentication {
    /// Accepts a token if any of the verifiers knows it.
    pub fn new(
        public_url: PublicUrl,
        verifiers: Vec<Arc<dyn TokenVerifier>>,
        owners: Arc<dyn NamedOwners>,
    ) -> Self {
        let (cache, now) = (TokenCache::new(), SystemTime::now);
        Self { public_url, verifiers, owners, cache, now }
    }

    /// Asks each verifier until one knows the token.
    async fn ask(&self, token: &str, prefix: &str) -> Result<Arc<TokenIdentity>, TokenRefusal> {
        if MAX_TOKEN < token.len() {
            return Err(TokenRefusal::Unknown);
        }
        let resource = self.public_url.resource(prefix);
        for (index, verifier) in self.verifiers.iter().enumerate() {
            // Read first: a revocation during the verification must invalidate its result.
            let revocations = verifier.revocations();
            match verifier.verify(token, &resource).await {
                Ok(verified) => {
                    return self.remember(token, prefix, verified, index, revocations);
                }
                Err(TokenRefusal::Unknown) => {}
                Err(refused) => return Err(refused),
            }
        }
        Err(TokenRefusal::Unknown)
    }

    fn remember(
        &self,
        token: &str,
        prefix: &str,
        verified: VerifiedToken,
        verifier: usize,
        revocations: u64,
    ) -> Result<Arc<TokenIdentity>, TokenRefusal> {
        let VerifiedToken { principal, scopes, expires_at } = verified;
        let now = (self.now)();
        if expires_at.is_some_and(|end| end <= now) {
            return Err(TokenRefusal::Expired);
        }
        if principal.as_str().is_empty() {
            // The empty principal stands for requests without a token, never for the bearer of one.
            return Err(TokenRefusal::Unknown);
        }
        let rights = AccessRights::of(&scopes);
        let identity = Arc::new(TokenIdentity::new(principal, rights, &self.owners));
        let until = expires_at.unwrap_or(now + std::time::Duration::from_secs(3600));
        let known = KnownToken { identity: Arc::clone(&identity), verifier, revocations, until };
        self.cache.remember(token, prefix, now, known);
        Ok(identity)
    }
}

impl Authentication for BearerAuthentication {
    fn recall(&self, token: &str, prefix: &str) -> Option<Arc<dyn Identity>> {
        let known = self.cache.find(token, prefix, (self.now)())?;
        let current = self.verifiers.get(known.verifier)?.revocations();
        (current == known.revocations).then_some(known.identity as Arc<dyn Identity>)
    }

    fn verify<'a>(
        &'a self,
        token: &'a str,
        prefix: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>> {
        Box::pin(async move {
            let refused = match self.ask(token, prefix).await {
                Ok(identity) => return Ok(identity as Arc<dyn Identity>),
                Err(refused) => refused,
            };
            self.cache.forget(token, prefix);
            Err(match refused {
                TokenRefusal::Expired => IdentityRefusal::Expired,
                TokenRefusal::Unknown => IdentityRefusal::Invalid,
                TokenRefusal::NotYetValid => IdentityRefusal::NotYetValid,
                TokenRefusal::OtherAudience => IdentityRefusal::OtherAudience,
                TokenRefusal::NotForUser => IdentityRefusal::Forbidden,
                TokenRefusal::Unavailable(why) => {
                    tracing::warn!(%why, "tokens cannot be checked");
                    IdentityRefusal::Unavailable
                }
            })
        })
    }

    fn challenge(&self, prefix: &str, reason: &ChallengeReason) -> Option<HeaderValue> {
        challenge(&self.public_url, prefix, reason)
    }
}
