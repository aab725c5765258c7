//! How each connection is set up.

use crate::error::StoreError;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How often a lock that another process has is tried again, a little less eagerly each time.
/// All of it together is about half a minute.
const TRIES: i32 = 8_000;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Reading and writing; there is one in a process.
    Write,
    /// Reading only.
    Read,
}

/// Opens an existing file.
pub(super) fn connect(file: &Path, purpose: Use) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags)?;
    connection.busy_handler(Some(wait_for_others))?;
    connection.set_prepared_statement_cache_capacity(64);
    // Off by default in SQLite, and for each connection anew.
    connection.pragma_update(None, "foreign_keys", true)?;
    // An acknowledged write is on the disk, not only on its way there.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -2_000)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // What the file says is data; it must not run functions of ours by itself.
    connection.pragma_update(None, "trusted_schema", false)?;
    match purpose {
        Use::Write => {}
        Use::Read => connection.pragma_update(None, "query_only", true)?,
    }
    Ok(connection)
}

/// SQLite's own waiting backs off to a tenth of a second, which lets the unlucky starve.
fn wait_for_others(tries: i32) -> bool {
    let most = if tries < 40 { 1_000 } else { 5_000 };
    std::thread::sleep(Duration::from_micros(fastrand::u64(200..=most)));
    tries < TRIES
}
