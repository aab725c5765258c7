//! The result of a case: it held, or a sentence says what did not. Every case returns one.
//!
//! What must stay true: the sentence says what was expected and what was found instead.

use std::error::Error;
use std::fmt::Debug;

/// The result of a case.
pub type CaseResult = Result<(), Failed>;

/// What did not hold. It is not an `Error` itself, so that every error converts into it.
#[derive(Debug)]
pub struct Failed(String);

impl Failed {
    /// A failure with this reason.
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// The same failure, prefixed with the name of its case.
    pub(super) fn of(self, case: &str) -> Self {
        Self(format!("{case}: {}", self.0))
    }
}

/// An unexpected error of the store is a failure too.
impl<E: Error> From<E> for Failed {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

/// Fails unless the condition holds.
pub(super) fn hold(so: bool, what: &str) -> CaseResult {
    if so { Ok(()) } else { Err(Failed::because(what)) }
}

/// Fails unless both are equal.
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
