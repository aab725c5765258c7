//! Which sealed bytes can be opened, and which cannot.

use super::SealingKey;

fn key(byte: u8) -> SealingKey {
    SealingKey::from_bytes(&[byte; 32]).unwrap()
}

#[test]
fn only_the_same_bytes_with_the_same_key_for_the_same_place_are_opened() {
    let sealed = key(1).seal("here", b"canary".to_vec()).unwrap();
    assert_eq!(key(1).open("here", &sealed).as_deref(), Some(&b"canary"[..]));
    assert!(!sealed.windows(6).any(|part| part == b"canary"));
    assert_eq!(key(1).open("there", &sealed), None);
    assert_eq!(key(2).open("here", &sealed), None);
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert_eq!(key(1).open("here", &changed), None, "byte {at}");
        assert_eq!(key(1).open("here", &sealed[..at]), None, "cut at {at}");
    }
}

#[test]
fn the_same_bytes_are_sealed_differently_each_time() {
    let seal = || key(1).seal("here", b"canary".to_vec()).unwrap();
    assert_ne!(seal(), seal());
}

#[test]
fn a_key_has_32_bytes() {
    for (bytes, fits) in [(0, false), (31, false), (32, true), (33, false)] {
        assert_eq!(SealingKey::from_bytes(&vec![0; bytes]).is_some(), fits, "{bytes}");
    }
}
