//! What the crate's own types are to `rusqlite`, so that no file outside this folder names it.
//!
//! Callers outside learn of a failure as one of the few cases they act on differently.

use crate::agents::AgentSessionError;
use crate::authorizations::EntryChangeError;
use crate::error::StoreError;
use crate::memory::MemoryError;
use crate::model_sessions::ModelSessionError;
use crate::tasks::TaskError;
use crate::time::Time;
use crate::trees::TreeError;
use rusqlite::ErrorCode;
use rusqlite::types::{FromSql, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use std::io;

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(
                ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied,
            ) => Self::Unwritable(text),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text),
            _ => Self::Failed(text),
        }
    }
}

/// A record that got no name, as a failure of the transaction that would have stored it.
pub(super) fn no_name(error: io::Error) -> rusqlite::Error {
    rusqlite::Error::UserFunctionError(error.into())
}

impl From<rusqlite::Error> for MemoryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<rusqlite::Error> for AgentSessionError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::from(error).into()
    }
}

impl From<rusqlite::Error> for EntryChangeError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::from(error).into()
    }
}

impl From<rusqlite::Error> for TaskError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<rusqlite::Error> for TreeError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<rusqlite::Error> for ModelSessionError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Store(error.into())
    }
}

impl ToSql for Time {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(self.millis().into())
    }
}

impl FromSql for Time {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        value.as_i64().map(Self::from_millis)
    }
}
