//! Checks of a file before it is opened for writing, which may already change it: whether it is a
//! complete store of ours.

use super::connection::look_at;
use super::convert::WorkError;
use super::files::StoreFiles;
use super::inspect;
use super::migrate::FileFormat;
use super::presence::OpenState;
use hobnob_store::{StoreError, StoreOpenError};
use rusqlite::Connection;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Refuses a file that is not a store of ours, or an incomplete one; a missing file is fine. No
/// connection may be open, since closing a file drops all POSIX locks of this process on it.
pub(super) fn vet(files: &StoreFiles, found: OpenState, newest: i64) -> Result<(), StoreOpenError> {
    let file = files.file();
    let io = |source| StoreOpenError::Io { file: file.into(), source };
    let unusable =
        |reason: &str| Err(StoreOpenError::Unusable { file: file.into(), reason: reason.into() });
    let log = files.has_log().map_err(io)?;
    let was_more = log || found == OpenState::Abandoned;
    match fs::metadata(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
        Err(_) if was_more => return unusable("it is missing, but what belongs to it is there"),
        Err(_) => return Ok(()),
        Ok(metadata) if !metadata.is_file() => return unusable("it is not a file"),
        // SQLite would discard the log.
        Ok(metadata) if metadata.len() == 0 && was_more => {
            return unusable("it is empty, but was not when it was last used");
        }
        Ok(metadata) if metadata.len() == 0 => return Ok(()),
        Ok(_) => {}
    }
    let log_missing = found == OpenState::Abandoned && !files.log().try_exists().map_err(io)?;
    if log_missing && !was_closed_by_another(files).map_err(io)? {
        return Err(StoreOpenError::LogMissing { file: file.into(), log: files.log() });
    }
    if !is_database(file).map_err(io)? {
        return unusable("it is not a database");
    }
    // Without its log, the file may be inconsistent.
    if log {
        return Ok(());
    }
    let connection = look_at(file).map_err(|error| refused(file, error))?;
    judge(file, &connection, newest)?;
    if log_missing {
        // If the index of the log was removed along with the log, the file may be inconsistent; a
        // full check tells.
        let problems = inspect::problems(&connection).map_err(|error| refused(file, error))?;
        if !problems.is_empty() {
            return Err(StoreOpenError::LogMissing { file: file.into(), log: files.log() });
        }
        tracing::warn!(
            file = %file.display(),
            "the store was not closed properly, and another program has put its log into it since; \
             it is sound and used as it is"
        );
    }
    Ok(())
}

/// Whether another program opened the abandoned store and closed it properly: SQLite then moves the
/// log into the file and removes it with its index. A log removed by hand leaves the index behind.
fn was_closed_by_another(files: &StoreFiles) -> io::Result<bool> {
    Ok(!files.log_index().try_exists()?)
}

/// Refuses a database that is foreign or newer than `newest`; an empty one is fine.
pub(super) fn judge(
    file: &Path,
    connection: &Connection,
    newest: i64,
) -> Result<(), StoreOpenError> {
    let failed = |error| refused(file, error);
    let format = FileFormat::of(connection).map_err(failed)?;
    // Evaluated in any case, since it reads the definitions of all tables.
    let empty = is_empty(connection).map_err(failed)?;
    if format == FileFormat::EMPTY && empty { Ok(()) } else { format.judge(file, newest) }
}

/// Maps damage to an error about the file; other errors stay errors of the store.
pub(super) fn refused(file: &Path, source: impl Into<StoreError>) -> StoreOpenError {
    match source.into() {
        StoreError::Damaged(reason) => StoreOpenError::Unusable { file: file.into(), reason },
        source => StoreOpenError::Store { file: file.into(), source },
    }
}

fn is_database(file: &Path) -> io::Result<bool> {
    let mut beginning = Vec::new();
    File::open(file)?.take(16).read_to_end(&mut beginning)?;
    Ok(beginning == MAGIC)
}

fn is_empty(connection: &Connection) -> Result<bool, WorkError> {
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    Ok(tables == 0)
}
