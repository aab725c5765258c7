//! One record of usage in the table: adding calls to it, and reading it.
//!
//! The port adds minutes, and retention days. What must stay true: a record has the calls of every
//! process that recorded some.

use crate::columns::{time, unread};
use hobnob_store::usage::{CallCounts, CallDurations, UsageBucket, UsageKey};
use hobnob_store::{Owner, Time};
use rusqlite::{Connection, OptionalExtension as _, Result, Row};

/// The columns that [`counts`] reads, in its order.
pub(super) const COUNTS: &str = "calls, errors, request_bytes, result_bytes, last, durations";

/// The columns of a key, as [`key`] reads them.
pub(super) const KEY: &str = "owner, server, tool, client";

/// Whether a record was there before calls were added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddedTo {
    New,
    Existing,
}

/// Where a record is: its length, its start and its key.
#[derive(Debug, Clone, Copy)]
pub(super) struct UsagePlace<'a> {
    pub(super) bucket: UsageBucket,
    pub(super) start: Time,
    pub(super) key: &'a UsageKey,
}

/// The values of a place in the order of the primary key.
type PlaceRow<'a> = (u32, i64, &'a str, &'a str, &'a str, &'a str);

impl<'a> UsagePlace<'a> {
    fn row(&self) -> PlaceRow<'a> {
        let UsageKey { owner, server, tool, client } = self.key;
        let start = self.start.millis();
        (self.bucket.seconds(), start, owner.as_str(), server, tool, client)
    }
}

/// The condition for the record of a place.
macro_rules! is_place {
    () => {
        "seconds = ?1 AND start = ?2 AND owner = ?3 AND server = ?4 AND tool = ?5 AND client = ?6"
    };
}

/// Adds calls to a record, and makes it if there is none.
pub(super) fn add(
    connection: &Connection,
    place: &UsagePlace<'_>,
    more: &CallCounts,
) -> Result<AddedTo> {
    let found = find(connection, place)?;
    let added_to = if found.is_some() { AddedTo::Existing } else { AddedTo::New };
    let mut counts = found.unwrap_or_default();
    counts.merge(more);
    let (seconds, start, owner, server, tool, client) = place.row();
    let sql = "INSERT OR REPLACE INTO usage (seconds, start, owner, server, tool, client, calls, \
               errors, request_bytes, result_bytes, last, durations) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    connection.prepare_cached(sql)?.execute((
        seconds,
        start,
        owner,
        server,
        tool,
        client,
        column(counts.calls),
        column(counts.errors),
        column(counts.request_bytes),
        column(counts.result_bytes),
        counts.last.millis(),
        counts.durations.to_bytes(),
    ))?;
    Ok(added_to)
}

/// Whether there is a record at this place.
pub(super) fn exists(connection: &Connection, place: &UsagePlace<'_>) -> Result<bool> {
    let sql = concat!("SELECT 1 FROM usage WHERE ", is_place!());
    connection.prepare_cached(sql)?.exists(place.row())
}

/// Removes a record that has become a part of another one.
pub(super) fn remove(connection: &Connection, place: &UsagePlace<'_>) -> Result<()> {
    let sql = concat!("DELETE FROM usage WHERE ", is_place!());
    connection.prepare_cached(sql)?.execute(place.row()).map(drop)
}

fn find(connection: &Connection, place: &UsagePlace<'_>) -> Result<Option<CallCounts>> {
    let sql = concat!(
        "SELECT calls, errors, request_bytes, result_bytes, last, durations FROM usage WHERE ",
        is_place!()
    );
    connection.prepare_cached(sql)?.query_row(place.row(), |row| counts(row, 0)).optional()
}

/// Reads the columns [`COUNTS`]; the first one is at `column`.
pub(super) fn counts(row: &Row<'_>, column: usize) -> Result<CallCounts> {
    let number = |at: usize| -> Result<u64> {
        u64::try_from(row.get::<_, i64>(column + at)?).map_err(|_| unread(column + at))
    };
    let bytes = row.get_ref(column + 5)?.as_blob().map_err(|_| unread(column + 5))?;
    Ok(CallCounts {
        calls: number(0)?,
        errors: number(1)?,
        request_bytes: number(2)?,
        result_bytes: number(3)?,
        last: time(row, column + 4)?,
        durations: CallDurations::from_bytes(bytes).ok_or_else(|| unread(column + 5))?,
    })
}

/// Reads the columns [`KEY`]; the first one is at `column`.
pub(super) fn key(row: &Row<'_>, column: usize) -> Result<UsageKey> {
    Ok(UsageKey {
        owner: Owner::named(&row.get::<_, Box<str>>(column)?),
        server: row.get(column + 1)?,
        tool: row.get(column + 2)?,
        client: row.get(column + 3)?,
    })
}

/// A count as a column holds it.
fn column(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
