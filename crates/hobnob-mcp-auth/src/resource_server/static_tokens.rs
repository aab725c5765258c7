//! Static tokens, which a person creates for scripts: `hob_<id>_<secret>`, stored only as a hash.
//!
//! The listener verifies tokens with a list of them; the program replaces the list when it changes.
//! What must stay true: a secret is shown once, when it is created, and compared in constant time.

use parking_lot::RwLock;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_text::hex;
use ring::digest::{SHA256, digest};

use super::token_verifier::{TokenRefusal, TokenVerifier, VerifiedToken};
use crate::encoding::random_text;
use crate::error::AuthError;
use crate::scopes::Scopes;
use crate::secret::SecretText;

#[cfg(test)]
mod tests;

const PREFIX: &str = "hob_";
/// Characters of an id: enough that two tokens of one list never share it.
const ID_LENGTH: usize = 12;
/// 256 bits in base64url.
const SECRET_LENGTH: usize = 43;

/// One token of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaticToken {
    /// The id of the token, which is part of its text and names it in lists.
    pub id: Box<str>,
    /// SHA-256 of the whole token, in hexadecimal.
    pub sha256: Box<str>,
    /// The principal that the token stands for.
    pub principal: Principal,
    /// The scopes of the token.
    pub scopes: Scopes,
    /// The only prefix where the token is accepted, such as `/p/work`; `None` means everywhere.
    pub prefix: Option<Box<str>>,
    /// When the token expires, if it does.
    pub expires_at: Option<SystemTime>,
}

/// A newly created token.
#[derive(Debug)]
pub struct NewStaticToken {
    /// The id of the token.
    pub id: Box<str>,
    /// The token itself; this is the only time it can be shown.
    pub token: SecretText,
    /// The hash of the token, for [`StaticToken::sha256`].
    pub sha256: Box<str>,
}

impl NewStaticToken {
    /// Creates a token with 256 random bits.
    pub fn generate() -> Result<Self, AuthError> {
        // Letters and digits only: an underscore would end the id.
        let letters = random_text()?.replace(['-', '_'], "");
        let id: Box<str> = letters.chars().take(ID_LENGTH).collect::<String>().into();
        let token = format!("{PREFIX}{id}_{}", random_text()?);
        let sha256 = hash(&token);
        Ok(Self { id, token: SecretText::new(token), sha256 })
    }
}

/// The source of a token list.
pub trait StaticTokenSource: fmt::Debug + Send + Sync + 'static {
    /// The present list, and a number that changes with it. This is called on every request, so it
    /// must be very cheap while nothing has changed.
    fn current(&self) -> (u64, Arc<[StaticToken]>);

    /// Called when a token of the list was used.
    fn used(&self, id: &str);
}

/// A list that only this process changes.
#[derive(Debug, Default)]
pub struct StaticTokenList {
    tokens: RwLock<Arc<[StaticToken]>>,
    changes: AtomicU64,
}

impl StaticTokenList {
    /// Replaces the whole list.
    pub fn replace(&self, tokens: Vec<StaticToken>) {
        *self.tokens.write() = tokens.into();
        self.changes.fetch_add(1, Ordering::Release);
    }
}

impl StaticTokenSource for StaticTokenList {
    fn current(&self) -> (u64, Arc<[StaticToken]>) {
        let changes = self.changes.load(Ordering::Acquire);
        (changes, Arc::clone(&self.tokens.read()))
    }

    fn used(&self, _id: &str) {}
}

/// Verifies tokens against a list.
#[derive(Debug)]
pub struct StaticTokens {
    source: Arc<dyn StaticTokenSource>,
    now: fn() -> SystemTime,
}

impl StaticTokens {
    /// Accepts the tokens in the source's list.
    pub fn new(source: Arc<dyn StaticTokenSource>) -> Self {
        Self { source, now: SystemTime::now }
    }

    fn check(&self, token: &str, resource: &str) -> Result<VerifiedToken, TokenRefusal> {
        let id = id_of(token).ok_or(TokenRefusal::Unknown)?;
        let (_, tokens) = self.source.current();
        let found = tokens.iter().find(|known| *known.id == *id).ok_or(TokenRefusal::Unknown)?;
        let (mine, theirs) = (SecretText::new(&*found.sha256), SecretText::new(hash(token)));
        if mine != theirs {
            return Err(TokenRefusal::Unknown);
        }
        if found.expires_at.is_some_and(|end| end <= (self.now)()) {
            return Err(TokenRefusal::Expired);
        }
        if found.prefix.as_ref().is_some_and(|prefix| !is_below(resource, prefix)) {
            return Err(TokenRefusal::OtherAudience);
        }
        self.source.used(&found.id);
        let (principal, scopes) = (found.principal.clone(), found.scopes.clone());
        Ok(VerifiedToken { principal, scopes, expires_at: found.expires_at })
    }
}

impl TokenVerifier for StaticTokens {
    fn verify<'a>(
        &'a self,
        token: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<VerifiedToken, TokenRefusal>> {
        Box::pin(std::future::ready(self.check(token, resource)))
    }

    fn revocations(&self) -> u64 {
        self.source.current().0
    }
}

/// The id in a token, if the token has the right form.
fn id_of(token: &str) -> Option<&str> {
    let (id, secret) = token.strip_prefix(PREFIX)?.split_once('_')?;
    (secret.len() == SECRET_LENGTH && !id.is_empty() && id.len() <= ID_LENGTH).then_some(id)
}

/// Whether a resource is the server below this prefix.
fn is_below(resource: &str, prefix: &str) -> bool {
    let after_scheme = resource.split_once("://").map_or(resource, |(_, rest)| rest);
    let path = after_scheme.find('/').map_or("", |at| &after_scheme[at..]);
    path.strip_suffix("/mcp") == Some(prefix)
}

fn hash(token: &str) -> Box<str> {
    hex::encode(digest(&SHA256, token.as_bytes()).as_ref()).into()
}
