//! Random ids are well-formed and differ, and a failing generator gives none.

use super::{hex_from, random_hex};
use std::io;

#[test]
fn without_randomness_there_is_no_name() {
    let failed = hex_from(|_| Err(io::Error::other("the system gives no randomness")));
    assert_eq!(failed.unwrap_err().to_string(), "the system gives no randomness");
}

#[test]
fn names_are_hexadecimal_and_differ() {
    let [one, other] = [random_hex().unwrap(), random_hex().unwrap()];
    assert_ne!(one, other);
    assert!(one.len() == 32 && one.bytes().all(|byte| byte.is_ascii_hexdigit()));
}
