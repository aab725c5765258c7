//! How failures of SQLite become those of the ports, so that nothing outside this crate names
//! `rusqlite`.
//!
//! Work on a connection ends with a [`WorkError`]; the threads of the store turn it into the error of
//! the port that was called, one of the few cases that callers act on differently.

use hobnob_store::StoreError;
use hobnob_store::agents::AgentSessionError;
use hobnob_store::authorizations::EntryChangeError;
use hobnob_store::memory::{MemoryError, MissingRole};
use hobnob_store::model_sessions::ModelSessionError;
use hobnob_store::tasks::TaskError;
use hobnob_store::trees::TreeError;
use rusqlite::ErrorCode;
use std::io;

/// Why work on a connection failed: SQLite did, or the port refuses what was asked of it.
#[derive(Debug)]
pub(super) enum WorkError<E = StoreError> {
    Sqlite(rusqlite::Error),
    Port(E),
}

impl<E: From<StoreError>> WorkError<E> {
    /// The error that the caller of a port gets.
    pub(super) fn into_port(self) -> E {
        match self {
            Self::Sqlite(error) => store_error(error).into(),
            Self::Port(error) => error,
        }
    }
}

impl<E> From<rusqlite::Error> for WorkError<E> {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<WorkError> for StoreError {
    fn from(error: WorkError) -> Self {
        error.into_port()
    }
}

/// A session's tree is a tree, and what fails for the tree fails for the session.
impl From<WorkError<TreeError>> for WorkError<ModelSessionError> {
    fn from(error: WorkError<TreeError>) -> Self {
        match error {
            WorkError::Sqlite(error) => Self::Sqlite(error),
            WorkError::Port(error) => Self::Port(error.into()),
        }
    }
}

impl From<TreeError> for WorkError<ModelSessionError> {
    fn from(error: TreeError) -> Self {
        Self::Port(error.into())
    }
}

impl From<MissingRole> for WorkError<MemoryError> {
    fn from(error: MissingRole) -> Self {
        Self::Port(error.into())
    }
}

/// One implementation for each port: a generic one would also cover SQLite's own error.
macro_rules! refused_by_port {
    ($($error:ty),+ $(,)?) => {
        $(impl From<$error> for WorkError<$error> {
            fn from(error: $error) -> Self {
                Self::Port(error)
            }
        })+
    };
}

refused_by_port!(
    StoreError,
    MemoryError,
    TaskError,
    TreeError,
    ModelSessionError,
    AgentSessionError,
    EntryChangeError,
);

/// A failure of SQLite as one of those that callers act on.
pub(super) fn store_error(error: rusqlite::Error) -> StoreError {
    let text = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(
            ErrorCode::DiskFull
            | ErrorCode::SystemIoFailure
            | ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied,
        ) => StoreError::Unwritable(text),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::Damaged(text),
        _ => StoreError::Failed(text),
    }
}

/// A record that got no name, as a failure of the transaction that would have stored it.
pub(super) fn no_name(error: io::Error) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(error.into())
}
