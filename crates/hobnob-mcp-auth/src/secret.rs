//! Texts that must not be shown: tokens, codes, client secrets, verifiers.
//!
//! This crate holds every secret as a [`SecretText`]. What must stay true: it has no `Display`, its
//! `Debug` shows nothing, and two secrets are compared in constant time.

use std::fmt;

/// A text that cannot be shown by accident.
#[derive(Clone)]
pub struct SecretText(Box<str>);

impl SecretText {
    /// Wraps a text, which is secret from now on.
    pub fn new(secret: impl Into<Box<str>>) -> Self {
        Self(secret.into())
    }

    /// The secret itself, for the one place that sends or stores it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl PartialEq for SecretText {
    /// Compares in constant time: only the lengths influence how long it takes.
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
