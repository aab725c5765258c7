//! How texts of our own are read from rows: without a copy, and never taken for something else.
//!
//! The files of tasks and of trees read their rows with it.

use hobnob_store::Time;
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Error, Result, Row};

/// Reads a text that may be missing.
pub(super) fn optional<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> T,
) -> Result<Option<T>> {
    Ok(row.get_ref(column)?.as_str_or_null().map_err(|_| unread(column))?.map(read))
}

/// Reads a word of ours; that it is none of them cannot be, unless somebody else wrote the file.
pub(super) fn word<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T> {
    let raw = row.get_ref(column)?.as_str().map_err(|_| unread(column))?;
    read(raw).ok_or_else(|| unread(column))
}

/// The failure of a column that holds what we would not have written.
pub(super) fn unread(column: usize) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, Box::new(FromSqlError::InvalidType))
}

/// Reads a moment, which the file has in milliseconds since 1970.
pub(super) fn time(row: &Row<'_>, column: usize) -> Result<Time> {
    row.get(column).map(Time::from_millis)
}

/// The same for a moment that may be missing.
pub(super) fn optional_time(row: &Row<'_>, column: usize) -> Result<Option<Time>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Time::from_millis))
}
