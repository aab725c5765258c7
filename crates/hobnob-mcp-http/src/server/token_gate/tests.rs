//! Whom the gate lets in, where, and for how long.

use super::{TokenDenied, TokenGate};
use crate::server::authentication::{Authentication, ChallengeReason, Identity, IdentityRefusal};
use crate::server::limits::HttpLimits;
use crate::server::test_identity::Named;
use hobnob_mcp_engine::{BoxFuture, ClientId, Principal};
use http::HeaderValue;
use parking_lot::Mutex;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// The principals of tokens by token and prefix, as they are now.
#[derive(Debug, Default)]
struct Tokens(Mutex<Vec<(&'static str, &'static str, &'static str)>>);

impl Authentication for Tokens {
    fn recall(&self, _: &str, _: &str) -> Option<Arc<dyn Identity>> {
        None
    }

    fn verify<'a>(
        &'a self,
        token: &'a str,
        prefix: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Identity>, IdentityRefusal>> {
        let known = self.0.lock();
        let mut of_token = known.iter().filter(|(it, ..)| *it == token).peekable();
        let found = match of_token.peek() {
            None => Err(IdentityRefusal::Invalid),
            Some(_) => match of_token.find(|(_, at, _)| *at == prefix) {
                Some((.., name)) => Ok(Arc::new(Named(Principal::named(name))) as _),
                None => Err(IdentityRefusal::OtherAudience),
            },
        };
        Box::pin(std::future::ready(found))
    }

    fn challenge(&self, _: &str, _: &ChallengeReason) -> Option<HeaderValue> {
        None
    }
}

fn gate(tokens: &Arc<Tokens>, requests: usize) -> TokenGate {
    let limits = HttpLimits {
        requests_per_minute: NonZeroUsize::new(requests),
        bytes_per_minute: None,
        ..HttpLimits::default()
    };
    TokenGate::new(Arc::clone(tokens) as _, &limits)
}

fn elsewhere() -> ClientId {
    ClientId::next_at([192, 0, 2, 7].into())
}

#[tokio::test]
async fn a_token_is_admitted_where_it_counts() {
    let tokens = Arc::new(Tokens::default());
    *tokens.0.lock() = vec![
        ("all", "", "ann"),
        ("all", "/p/work", "ann"),
        ("work", "/p/work", "bob"),
        ("own", "", ""),
    ];
    let gate = gate(&tokens, 10);
    let prefixes = ["", "/p/other", "/p/work"];
    for (token, expected) in [
        ("all", Ok(("ann", ""))),
        ("work", Ok(("bob", "/p/work"))),
        ("own", Err(IdentityRefusal::Forbidden)),
        ("none", Err(IdentityRefusal::Invalid)),
    ] {
        let admitted = gate.admit(token, &prefixes, elsewhere()).await;
        let found = admitted.as_ref().map(|it| (it.principal().as_str(), it.prefix()));
        assert_eq!(found.map_err(|why| *why), expected.map_err(TokenDenied::Refused), "{token}");
        assert!(!format!("{admitted:?}").contains("token: "), "{admitted:?}");
    }
    let outside = gate.admit("work", &[""], elsewhere()).await.unwrap_err();
    assert_eq!(outside, TokenDenied::Refused(IdentityRefusal::OtherAudience));
}

#[tokio::test]
async fn a_bearer_is_checked_and_counted_at_every_use() {
    let tokens = Arc::new(Tokens::default());
    *tokens.0.lock() = vec![("t", "", "ann")];
    let bearer = gate(&tokens, 2).admit("t", &[""], elsewhere()).await.unwrap();
    assert!(bearer.identity().await.is_ok());
    assert_eq!((bearer.count(1), bearer.count(1)), (Ok(()), Ok(())));
    assert!(bearer.count(1).is_err(), "two requests a minute were allowed");
    // The same text becomes the token of another principal: it is no longer Ann's.
    *tokens.0.lock() = vec![("t", "", "eve")];
    assert_eq!(bearer.identity().await.unwrap_err(), IdentityRefusal::Invalid);
    tokens.0.lock().clear();
    assert_eq!(bearer.identity().await.unwrap_err(), IdentityRefusal::Invalid);
}

#[tokio::test]
async fn guesses_from_one_address_are_limited() {
    let tokens = Arc::new(Tokens::default());
    *tokens.0.lock() = vec![("t", "/p/work", "ann")];
    let (gate, guesser) = (gate(&tokens, 10), elsewhere());
    let mut refused = 0;
    let wait = loop {
        match gate.admit("guess", &["", "/p/work"], guesser).await.unwrap_err() {
            TokenDenied::Refused(_) => refused += 1,
            TokenDenied::TooMany(seconds) => break seconds,
        }
    };
    assert_eq!(refused, 30, "each guess counts once, however many servers there are");
    assert!((1..=60).contains(&wait), "{wait}");
    let other = ClientId::next_at([192, 0, 2, 8].into());
    assert!(gate.admit("t", &["", "/p/work"], other).await.is_ok());
}
