//! Verifies tokens signed by external issuers that the settings trust.
//!
//! A listener in the mode `external` uses it. The order of the checks is that of `jwt.rs`; between
//! its steps, the issuer is looked up by its exact text, and the key by the issuer and the key id.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use hobnob_mcp_engine::{BoxFuture, Principal};

use super::issuer_keys::IssuerKeys;
use super::jwt::UnverifiedToken;
use super::token_verifier::{TokenRefusal, TokenVerifier, VerifiedToken};

#[cfg(test)]
mod tests;

/// An issuer whose tokens are accepted.
#[derive(Debug)]
pub struct TrustedIssuer {
    /// The issuer, exactly as its tokens spell it in `iss`.
    pub issuer: Box<str>,
    /// The keys that the issuer signs with.
    pub keys: IssuerKeys,
    /// Further accepted audiences besides the resource itself, for issuers that cannot name the
    /// resource in their tokens.
    pub audiences: Vec<Box<str>>,
}

/// Verifies the tokens of external issuers.
pub struct SignedTokens {
    issuers: Vec<TrustedIssuer>,
    now: Arc<dyn Fn() -> SystemTime + Send + Sync>,
}

impl SignedTokens {
    /// Accepts tokens of these issuers.
    pub fn new(issuers: Vec<TrustedIssuer>) -> Self {
        Self { issuers, now: Arc::new(SystemTime::now) }
    }

    /// Uses another clock, for example in tests.
    #[must_use]
    pub fn with_clock(self, now: Arc<dyn Fn() -> SystemTime + Send + Sync>) -> Self {
        Self { now, ..self }
    }

    async fn check(&self, token: &str, resource: &str) -> Result<VerifiedToken, TokenRefusal> {
        let token = UnverifiedToken::read(token).ok_or(TokenRefusal::Unknown)?;
        let trusted = self.issuers.iter().find(|trusted| trusted.issuer == token.issuer);
        let trusted = trusted.ok_or(TokenRefusal::Unknown)?;
        let (id, algorithm) = (token.key_id.clone(), token.algorithm);
        let keys =
            trusted.keys.with_key(|keys| keys.find(id.as_deref(), algorithm).is_some()).await;
        let keys = keys.map_err(|error| TokenRefusal::Unavailable(error.to_string().into()))?;
        let key = keys.find(id.as_deref(), algorithm).ok_or(TokenRefusal::Unknown)?;
        let aliases = trusted.audiences.iter().map(|alias| &**alias);
        let audiences: Vec<_> = std::iter::once(resource).chain(aliases).collect();
        let claims = token.check(key, &audiences, (self.now)())?;
        // No issuer contains a `#`, so two different pairs never have the same name.
        let name = format!("{}#{}", trusted.issuer, claims.subject);
        let principal = Principal::named(&name);
        Ok(VerifiedToken { principal, scopes: claims.scopes, expires_at: Some(claims.expires_at) })
    }
}

impl TokenVerifier for SignedTokens {
    fn verify<'a>(
        &'a self,
        token: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<VerifiedToken, TokenRefusal>> {
        Box::pin(self.check(token, resource))
    }
}

impl fmt::Debug for SignedTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedTokens").field("issuers", &self.issuers).finish_non_exhaustive()
    }
}
