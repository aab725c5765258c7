//! The setup of every connection: pragmas and timeouts.
//!
//! Readers, the writer, backups and checks all connect here, so no connection misses a setting.

use super::convert::WorkError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How often to retry a lock that another process holds: about half a minute in all.
const MAX_TRIES: i32 = 16_000;
/// After this many retries (about two seconds) the holder is stuck, and polling slows down.
const FAST_TRIES: i32 = 10_000;

/// What a connection is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionUse {
    /// Reading and writing; one per process.
    Write,
    /// Reading only; writes fail.
    Read,
}

impl ConnectionUse {
    /// The size of the page cache. A search reads about a thousand pages and the next one needs
    /// most of them too; with a smaller cache half of its time goes into reading them again.
    fn cache_kib(self) -> i32 {
        match self {
            Self::Write => 2_000,
            Self::Read => 8_000,
        }
    }
}

/// Opens an existing database.
pub(super) fn connect(file: &Path, purpose: ConnectionUse) -> Result<Connection, WorkError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags)?;
    // No checkpoint when a connection closes: `presence` decides when the log is put away.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // A statement is planned once (query planner stability), not anew for each bound value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_handler(Some(wait_for_others))?;
    connection.set_prepared_statement_cache_capacity(64);
    // SQLite's default is off, for each new connection.
    connection.pragma_update(None, "foreign_keys", true)?;
    // Syncs every commit, so an acknowledged write is on disk.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -purpose.cache_kib())?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A database file is data: its schema must not call our functions.
    connection.pragma_update(None, "trusted_schema", false)?;
    match purpose {
        ConnectionUse::Write => {}
        ConnectionUse::Read => connection.pragma_update(None, "query_only", true)?,
    }
    Ok(connection)
}

/// Opens a file for inspection only, while no process writes to it: without locks, without its log,
/// and without creating any file.
pub(super) fn look_at(file: &Path) -> Result<Connection, WorkError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(address(file), flags)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Sets the journal mode and returns the resulting mode. The change takes effect when the statement
/// ends, after its only row, so a failure shows only there.
pub(super) fn set_journal(connection: &Connection, mode: &str) -> Result<String, WorkError> {
    let mut statement = connection.prepare(&format!("PRAGMA journal_mode = {mode}"))?;
    let rows: Vec<String> =
        statement.query_map((), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(rows.concat())
}

/// Sleeps before the next try for a lock; returns false after too many tries. A process that has
/// waited longer retries more often, and so gets the lock before later ones.
pub(super) fn wait_for_others(tries: i32) -> bool {
    let limit = if tries < FAST_TRIES { (3_000 >> (tries / 3).min(4)).max(200) } else { 5_000 };
    std::thread::sleep(Duration::from_micros(fastrand::u64(limit / 2..=limit)));
    tries < MAX_TRIES
}

/// The path as a URI with options, in which all but plain characters are percent-encoded.
fn address(file: &Path) -> String {
    let name = file.as_os_str().as_encoded_bytes();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let escaped = name.iter().map(|byte| match *byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02x}"),
    });
    format!("file:{}?immutable=1", escaped.collect::<String>())
}
