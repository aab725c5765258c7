//! Texts that must not be shown: tokens, codes, client secrets, verifiers.
//!
//! Everything here that holds one holds it as a [`SecretText`]. What must stay true: it has no
//! `Display`, its `Debug` shows nothing, and two of them are compared in constant time.

use std::fmt;

/// A text that cannot be shown by accident.
#[derive(Clone)]
pub struct SecretText(Box<str>);

impl SecretText {
    /// Takes a text that is secret from now on.
    pub fn new(secret: impl Into<Box<str>>) -> Self {
        Self(secret.into())
    }

    /// The secret itself: for the one place that sends or stores it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl PartialEq for SecretText {
    /// The time it takes tells the length of the texts, and nothing else of them.
    fn eq(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.0.as_bytes(), other.0.as_bytes());
        if mine.len() != theirs.len() {
            return false;
        }
        mine.iter().zip(theirs).fold(0, |differs, (left, right)| differs | (left ^ right)) == 0
    }
}

impl Eq for SecretText {}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(…)")
    }
}
