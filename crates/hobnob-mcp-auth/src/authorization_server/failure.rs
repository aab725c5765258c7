//! Failures on the server's side of a login: the store, randomness, a thread.
//!
//! Every handler may return one. What must stay true: the text goes to the log, and callers only
//! learn that it may work later.

use super::record_store::RecordStoreError;

/// Why the server could not answer a request.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct ServerFailure(Box<str>);

impl ServerFailure {
    pub(super) fn new(why: &dyn std::fmt::Display) -> Self {
        Self(why.to_string().into())
    }
}

impl From<RecordStoreError> for ServerFailure {
    fn from(error: RecordStoreError) -> Self {
        Self::new(&error)
    }
}
