//! How each connection is set up: pragmas and timeouts.
//!
//! Readers, the writer, backups and checks all connect here, so that none forgets a setting.

use super::convert::WorkError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How often a lock that another process has is tried again: together about half a minute.
const TRIES: i32 = 16_000;
/// After so many tries whoever has the lock is not just busy: about two seconds.
const EAGER: i32 = 10_000;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionUse {
    /// Reading and writing; there is one in a process.
    Write,
    /// For reading only; writes fail.
    Read,
}

impl ConnectionUse {
    /// Pages that are kept in memory. A search looks at about a thousand of them, most of which the next
    /// one needs too; with fewer, half of its time goes into reading them again.
    fn cache_kib(self) -> i32 {
        match self {
            Self::Write => 2_000,
            Self::Read => 8_000,
        }
    }
}

/// Opens an existing file.
pub(super) fn connect(file: &Path, purpose: ConnectionUse) -> Result<Connection, WorkError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(file, flags)?;
    // The log stays where it is until the store is closed in order, or refused.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // A statement is planned once, and not anew for each value that is bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.busy_handler(Some(wait_for_others))?;
    connection.set_prepared_statement_cache_capacity(64);
    // Off by default in SQLite, and for each connection anew.
    connection.pragma_update(None, "foreign_keys", true)?;
    // An acknowledged write is on the disk, not only on its way there.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cache_size", -purpose.cache_kib())?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // What the file says is data; it must not run functions of ours by itself.
    connection.pragma_update(None, "trusted_schema", false)?;
    match purpose {
        ConnectionUse::Write => {}
        ConnectionUse::Read => connection.pragma_update(None, "query_only", true)?,
    }
    Ok(connection)
}

/// Opens a file that nobody writes to, for looking at it and nothing else: without locks, without
/// its log, and without making any file.
pub(super) fn look_at(file: &Path) -> Result<Connection, WorkError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(address(file), flags)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Sets how a file is written: with a log, or without; what it is afterwards. The change is made
/// when the statement ends, behind its only row, and fails there if it does.
pub(super) fn set_journal(connection: &Connection, mode: &str) -> Result<String, WorkError> {
    let mut statement = connection.prepare(&format!("PRAGMA journal_mode = {mode}"))?;
    let rows: Vec<String> =
        statement.query_map((), |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    Ok(rows.concat())
}

/// Waits a moment for others to let go of a lock; false when that has been tried too often.
/// Whoever has waited for longer looks more often, and so comes before those who came later.
pub(super) fn wait_for_others(tries: i32) -> bool {
    let limit = if tries < EAGER { (3_000 >> (tries / 3).min(4)).max(200) } else { 5_000 };
    std::thread::sleep(Duration::from_micros(fastrand::u64(limit / 2..=limit)));
    tries < TRIES
}

/// A file's name with options, in which only letters and digits stand for themselves.
fn address(file: &Path) -> String {
    let name = file.as_os_str().as_encoded_bytes();
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let escaped = name.iter().map(|byte| match *byte {
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02x}"),
    });
    format!("file:{}?immutable=1", escaped.collect::<String>())
}
