//! When verifiers are asked, and what is cached.

use super::BearerAuthentication;
use crate::resource_server::PublicUrl;
use crate::resource_server::scope_rules::NoOwners;
use crate::resource_server::token_verifier::{TokenRefusal, TokenVerifier, VerifiedToken};
use crate::scopes::Scopes;
use hobnob_mcp_engine::{BoxFuture, Principal};
use hobnob_mcp_http::{Authentication as _, IdentityRefusal};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

/// Knows one token, of one person, for one resource.
#[derive(Debug, Default)]
struct OneToken {
    token: &'static str,
    name: &'static str,
    resource: &'static str,
    asked: AtomicUsize,
    revocations: AtomicU64,
    ends: Option<SystemTime>,
    /// The refusal of the token once it is revoked.
    refusal: Mutex<Option<TokenRefusal>>,
}

impl TokenVerifier for OneToken {
    fn verify<'a>(
        &'a self,
        token: &'a str,
        resource: &'a str,
    ) -> BoxFuture<'a, Result<VerifiedToken, TokenRefusal>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let refusal = self.refusal.lock().clone();
        Box::pin(std::future::ready(match refusal {
            _ if token != self.token => Err(TokenRefusal::Unknown),
            _ if resource != self.resource => Err(TokenRefusal::OtherAudience),
            Some(refusal) => Err(refusal),
            None => Ok(VerifiedToken {
                principal: Principal::named(self.name),
                scopes: Scopes::parse("read"),
                expires_at: self.ends,
            }),
        }))
    }

    fn revocations(&self) -> u64 {
        self.revocations.load(Ordering::SeqCst)
    }
}

fn authentication(verifiers: &[&Arc<OneToken>]) -> BearerAuthentication {
    let url = PublicUrl::parse("https://hub.example.com").unwrap();
    let verifiers = verifiers.iter().map(|it| Arc::clone(it) as _).collect();
    BearerAuthentication::new(url, verifiers, Arc::new(NoOwners))
}

fn ann(ends: Option<SystemTime>) -> Arc<OneToken> {
    let resource = "https://hub.example.com/mcp";
    Arc::new(OneToken { token: "a", name: "ann", resource, ends, ..OneToken::default() })
}

#[tokio::test]
async fn a_verified_token_is_asked_about_once_until_tokens_are_taken_back() {
    let ann = ann(None);
    let known = authentication(&[&ann]);
    assert!(known.recall("a", "").is_none(), "nothing is known yet");
    assert_eq!(known.verify("a", "").await.unwrap().principal().as_str(), "ann");
    assert_eq!(known.recall("a", "").unwrap().principal().as_str(), "ann");
    assert!(known.recall("a", "/p/x").is_none(), "each server is asked about on its own");
    assert_eq!(known.verify("a", "/p/x").await.unwrap_err(), IdentityRefusal::OtherAudience);
    assert!(known.recall("a", "").is_some());
    *ann.refusal.lock() = Some(TokenRefusal::Unknown);
    ann.revocations.fetch_add(1, Ordering::SeqCst);
    assert!(known.recall("a", "").is_none(), "it may have been this one");
    assert_eq!(known.verify("a", "").await.unwrap_err(), IdentityRefusal::Invalid);
    ann.revocations.fetch_sub(1, Ordering::SeqCst);
    assert!(known.recall("a", "").is_none(), "it is forgotten");
}

#[tokio::test]
async fn the_next_verifier_is_asked_only_for_tokens_the_first_does_not_know() {
    let ann = ann(None);
    let bob = Arc::new(OneToken { token: "b", name: "bob", ..OneToken::default() });
    *bob.refusal.lock() = Some(TokenRefusal::Expired);
    let known = authentication(&[&ann, &bob]);
    assert!(known.verify("a", "").await.is_ok());
    assert_eq!(bob.asked.load(Ordering::SeqCst), 0);
    assert!(known.verify("a", "/p/x").await.is_err());
    assert_eq!(bob.asked.load(Ordering::SeqCst), 0, "a token for another place is nobody else's");
    assert!(known.verify("?", "").await.is_err());
    assert_eq!(bob.asked.load(Ordering::SeqCst), 1);
    let long = "a".repeat(9_000);
    assert!(known.verify(&long, "").await.is_err());
    assert_eq!(ann.asked.load(Ordering::SeqCst), 3, "a long one is not looked at");
}

#[tokio::test]
async fn a_verifier_that_names_nobody_or_the_past_lets_nobody_in() {
    let past = SystemTime::now() - Duration::from_secs(1);
    let expired = ann(Some(past));
    let known = authentication(&[&expired]);
    assert_eq!(known.verify("a", "").await.unwrap_err(), IdentityRefusal::Expired);
    let nameless = Arc::new(OneToken {
        token: "a",
        resource: "https://hub.example.com/mcp",
        ..OneToken::default()
    });
    let known = authentication(&[&nameless]);
    assert_eq!(known.verify("a", "").await.unwrap_err(), IdentityRefusal::Invalid);
    *nameless.refusal.lock() = Some(TokenRefusal::Unavailable("down".into()));
    assert_eq!(known.verify("a", "").await.unwrap_err(), IdentityRefusal::Unavailable);
}
