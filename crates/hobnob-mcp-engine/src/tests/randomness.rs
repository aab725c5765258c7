//! Random tokens, and what happens if the system's random number generator fails.

use crate::randomness::{bytes_from, token_of};
use crate::{NoRandomness, random_bytes, random_token};
use std::collections::HashSet;

/// There is no fallback: if the system's generator fails, so does the caller.
#[test]
fn without_randomness_there_is_no_token() {
    let half_filled = |bytes: &mut [u8]| {
        bytes[0] = 7;
        Err(NoRandomness)
    };
    assert_eq!(bytes_from(half_filled).map(token_of), Err(NoRandomness));
}

#[test]
fn tokens_differ_and_are_safe_in_addresses() {
    let tokens: HashSet<_> = (0..64).map(|_| random_token().expect("randomness")).collect();
    assert_eq!(tokens.len(), 64);
    for token in tokens {
        assert_eq!(token.len(), 22);
        assert!(token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    }
    assert_ne!(random_bytes::<32>(), random_bytes::<32>());
}
