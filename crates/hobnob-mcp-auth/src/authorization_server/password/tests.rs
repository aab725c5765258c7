//! Password hashes, compared with those of another implementation.

use super::{PasswordCost, hash, matches};
use crate::secret::SecretText;

const CHEAP: PasswordCost = PasswordCost { memory: 8, passes: 1 };

#[test]
fn a_hash_is_of_one_password_and_has_its_own_salt() {
    let password = SecretText::new("correct horse");
    let (first, second) = (hash(&password, CHEAP).unwrap(), hash(&password, CHEAP).unwrap());
    assert_ne!(first, second);
    assert!(first.starts_with("$argon2id$v=19$m=8,t=1,p=1$"), "{first}");
    assert!(!first.contains("horse"));
    for stored in [&first, &second] {
        assert!(matches(&password, stored).unwrap());
        for wrong in ["", "correct hors", "Correct horse", "correct horse "] {
            assert!(!matches(&SecretText::new(wrong), stored).unwrap(), "{wrong}");
        }
    }
}

/// Made with the reference implementation, through argon2-cffi from PyPI.
#[test]
fn what_others_hash_is_the_same() {
    let password = SecretText::new("password");
    let computed =
        super::compute(&password, b"somesaltsomesalt", PasswordCost { memory: 64, passes: 2 });
    assert_eq!(super::hex::encode(&computed.unwrap()), REFERENCE);
}

const REFERENCE: &str = "1a98fba8e6394425c9bdc333a9c750aaf811df070f5fb4a5788e1cf4db5793a1";

#[test]
fn a_damaged_hash_is_an_error_and_not_a_wrong_password() {
    let good = hash(&SecretText::new("x"), CHEAP).unwrap();
    let damaged = [
        String::new(),
        "plain".into(),
        good.replace("argon2id", "argon2i"),
        good.replace("m=8", "m=99999999"),
        good.replace("t=1", "t=99"),
        good.replace("p=1", "p=2"),
        good[..good.len() - 2].to_owned(),
        format!("{good}$"),
        good.replace("$m", "m"),
    ];
    for stored in damaged {
        assert!(matches(&SecretText::new("x"), &stored).is_err(), "{stored}");
    }
}
