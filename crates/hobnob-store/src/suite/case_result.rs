//! How a case ends: it held, or a sentence says what did not. Every case returns one.
//!
//! What must stay true: the sentence names what was expected and what came instead.

use std::error::Error;
use std::fmt::Debug;

/// How a case ends.
pub type CaseResult = Result<(), Failed>;

/// What did not hold. Not an error itself, so that every error can become one.
#[derive(Debug)]
pub struct Failed(String);

impl Failed {
    /// The failure in these words.
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// The same failure, with the name of its case.
    pub(super) fn of(self, case: &str) -> Self {
        Self(format!("{case}: {}", self.0))
    }
}

/// What the store refuses unasked is a failure too.
impl<E: Error> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Fails unless it is so.
pub(super) fn hold(so: bool, what: &str) -> CaseResult {
    if so { Ok(()) } else { Err(Failed::because(what)) }
}

/// Fails unless both are the same.
pub(super) fn equal<T: PartialEq + Debug + ?Sized>(
    found: &T,
    expected: &T,
    what: &str,
) -> CaseResult {
    if found == expected {
        return Ok(());
    }
    Err(Failed(format!("{what}: found {found:?}, expected {expected:?}")))
}
