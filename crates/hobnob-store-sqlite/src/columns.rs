//! Reads columns of a row without copying, and rejects values that this program never writes; and
//! the form of numbers in columns.
//!
//! The files of tasks, trees and sessions use it.

use hobnob_store::Time;
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Error, Result, Row};

/// Reads a text column that may be NULL.
pub(super) fn optional<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> T,
) -> Result<Option<T>> {
    Ok(row.get_ref(column)?.as_str_or_null().map_err(|_| unread(column))?.map(read))
}

/// Reads a word that this program wrote; any other word means that the file is damaged.
pub(super) fn word<T>(
    row: &Row<'_>,
    column: usize,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T> {
    let raw = row.get_ref(column)?.as_str().map_err(|_| unread(column))?;
    read(raw).ok_or_else(|| unread(column))
}

/// The error for a column with a value that this program never writes.
pub(super) fn unread(column: usize) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, Box::new(FromSqlError::InvalidType))
}

/// Reads a time, stored in milliseconds since 1970.
pub(super) fn time(row: &Row<'_>, column: usize) -> Result<Time> {
    row.get(column).map(Time::from_millis)
}

/// The same for a time that may be NULL.
pub(super) fn optional_time(row: &Row<'_>, column: usize) -> Result<Option<Time>> {
    Ok(row.get::<_, Option<i64>>(column)?.map(Time::from_millis))
}

/// A count or a limit as a column holds it; one that is too large becomes the largest.
pub(super) fn integer(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
