//! Converts SQLite errors to the errors of the ports, so that no code outside this crate names
//! `rusqlite`.
//!
//! Work on a connection returns a [`WorkError`]; the store's threads convert it to the error of the
//! called port.

use hobnob_store::StoreError;
use hobnob_store::agents::AgentSessionError;
use hobnob_store::authorizations::EntryChangeError;
use hobnob_store::memory::{MemoryError, MissingRole};
use hobnob_store::model_sessions::ModelSessionError;
use hobnob_store::tasks::TaskError;
use hobnob_store::trees::TreeError;
use rusqlite::ErrorCode;
use std::io;

/// Why work on a connection failed: SQLite failed, or the port refuses the operation.
#[derive(Debug)]
pub(super) enum WorkError<E = StoreError> {
    Sqlite(rusqlite::Error),
    Port(E),
}

impl<E: From<StoreError>> WorkError<E> {
    /// The error for the caller of a port.
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

/// A failure of a session's tree is a failure of the session.
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

/// One implementation per port: a generic one would overlap with SQLite's own error.
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

/// Maps an SQLite error to one of the cases that callers act on differently.
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

/// A failure to generate an id, as an error of the transaction.
pub(super) fn no_name(error: io::Error) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(error.into())
}
