//! Attempts within a window, and more keys than are stored.

use super::{MAX_KEYS, Throttle};

#[test]
fn a_key_has_so_many_attempts_in_a_window() {
    let throttle = Throttle::new(2, 60);
    let steps = [
        ("ann", 100, Ok(())),
        ("ann", 110, Ok(())),
        ("ann", 120, Err(40)),
        ("bob", 120, Ok(())),
        ("ann", 159, Err(1)),
        ("ann", 160, Ok(())),
        ("ann", 161, Ok(())),
        ("ann", 162, Err(58)),
    ];
    for (key, now, expected) in steps {
        assert_eq!(throttle.check(&key, now), expected, "{key} at {now}");
        assert_eq!(throttle.attempt(key, now), expected, "{key} at {now}");
    }
    throttle.forgive(&"ann");
    assert_eq!(throttle.attempt("ann", 163), Ok(()));
}

#[test]
fn many_keys_are_refused_until_old_ones_end() {
    let throttle = Throttle::new(1, 60);
    for key in 0..MAX_KEYS {
        assert_eq!(throttle.attempt(key, 100), Ok(()));
    }
    assert_eq!(throttle.attempt(MAX_KEYS, 159), Err(60));
    assert_eq!(throttle.attempt(MAX_KEYS, 160), Ok(()));
}
