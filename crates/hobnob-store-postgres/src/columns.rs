//! Reads columns of a row, and rejects values that this program never writes.
//!
//! The files of all ports use it.

use crate::error::{DatabaseError, Result};
use crate::value::unescape;
use hobnob_store::{Owner, Time};
use tokio_postgres::Row;
use tokio_postgres::types::FromSql;

/// Reads a column of a type that needs no conversion.
pub(crate) fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T> {
    Ok(row.try_get(column)?)
}

/// Reads a text and puts NUL back into it.
pub(crate) fn text(row: &Row, column: usize) -> Result<String> {
    Ok(unescape(get(row, column)?).into_owned())
}

/// Reads a text that may be NULL.
pub(crate) fn optional_text(row: &Row, column: usize) -> Result<Option<String>> {
    optional(row, column, str::to_owned)
}

/// The same as something made of the text.
pub(crate) fn optional<T>(
    row: &Row,
    column: usize,
    read: impl FnOnce(&str) -> T,
) -> Result<Option<T>> {
    Ok(get::<Option<&str>>(row, column)?.map(|raw| read(&unescape(raw))))
}

/// Reads a word that this program wrote; any other word means that the database is damaged.
pub(crate) fn word<T>(row: &Row, column: usize, read: impl FnOnce(&str) -> Option<T>) -> Result<T> {
    read(&unescape(get(row, column)?)).ok_or_else(|| unread(column))
}

/// The error for a column with a value that this program never writes.
pub(crate) fn unread(column: usize) -> DatabaseError {
    DatabaseError::Unread(column)
}

/// Reads an owner's name.
pub(crate) fn owner(row: &Row, column: usize) -> Result<Owner> {
    word(row, column, |raw| Some(Owner::named(raw)))
}

/// Reads a number of 64 bits.
pub(crate) fn number(row: &Row, column: usize) -> Result<i64> {
    get(row, column)
}

/// Reads a count, which is never negative.
pub(crate) fn count(row: &Row, column: usize) -> Result<u64> {
    u64::try_from(number(row, column)?).map_err(|_| unread(column))
}

/// Reads a small count.
pub(crate) fn small(row: &Row, column: usize) -> Result<u32> {
    u32::try_from(number(row, column)?).map_err(|_| unread(column))
}

/// Reads a time, stored in milliseconds since 1970.
pub(crate) fn time(row: &Row, column: usize) -> Result<Time> {
    number(row, column).map(Time::from_millis)
}

/// The same for a time that may be NULL.
pub(crate) fn optional_time(row: &Row, column: usize) -> Result<Option<Time>> {
    Ok(get::<Option<i64>>(row, column)?.map(Time::from_millis))
}
