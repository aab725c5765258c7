//! What the cache stores, for how long, and how much of it.

use super::{CAPACITY, KnownToken, MAX_AGE, TokenCache};
use crate::resource_server::token_identity::TokenIdentity;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

fn known(until: SystemTime) -> KnownToken {
    let identity = Arc::new(TokenIdentity::for_tests("ann", "read"));
    KnownToken { identity, verifier: 0, revocations: 0, until }
}

#[test]
fn a_token_is_known_at_its_server_until_it_expires() {
    let (cache, now) = (TokenCache::new(), SystemTime::UNIX_EPOCH);
    let minute = Duration::from_secs(60);
    cache.remember("t", "/p/a", now, known(now + minute));
    assert!(cache.find("t", "/p/a", now).is_some());
    assert!(cache.find("t", "/p/b", now).is_none(), "another resource");
    assert!(cache.find("t/p/a", "", now).is_none(), "token and place are told apart");
    assert!(cache.find("u", "/p/a", now).is_none());
    assert!(cache.find("t", "/p/a", now + minute).is_none(), "expired");
    cache.remember("t", "/p/a", now, known(now + 1000 * minute));
    assert!(cache.find("t", "/p/a", now + MAX_AGE).is_none(), "asked again after a while");
    cache.remember("t", "/p/a", now, known(now + minute));
    cache.forget("t", "/p/a");
    assert!(cache.find("t", "/p/a", now).is_none(), "revoked");
}

#[test]
fn it_holds_a_bounded_number_of_tokens() {
    let (cache, now) = (TokenCache::new(), SystemTime::UNIX_EPOCH);
    for number in 0..CAPACITY + 10 {
        cache.remember(&number.to_string(), "", now, known(now + MAX_AGE));
    }
    assert_eq!(cache.known.read().len(), CAPACITY);
    let newest = (CAPACITY + 9).to_string();
    assert!(cache.find(&newest, "", now).is_some());
}
