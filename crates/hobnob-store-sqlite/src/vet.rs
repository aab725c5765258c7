//! What can be seen of a file before it is opened for writing, which may change it already:
//! whether it is a store of ours, with everything that belongs to it.

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

/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Refuses what is no store of ours, or not all of one; what is not there at all is fine. Nobody
/// may have it open, as closing a file ends all locks that this very process has on it.
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
        // SQLite would throw the log away.
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
    // With a log, the file alone need not make sense.
    if log {
        return Ok(());
    }
    let connection = look_at(file).map_err(|error| refused(file, error))?;
    judge(file, &connection, newest)?;
    if log_missing {
        // The index of the log could have been removed along with it, and then the file need not
        // make sense: a look at all of it tells.
        let problems = inspect::problems(&connection).map_err(|error| refused(file, error))?;
        if !problems.is_empty() {
            return Err(StoreOpenError::LogMissing { file: file.into(), log: files.log() });
        }
        tracing::warn!(
            file = %file.display(),
            "the store was not closed in order, and another program has put its log into it since; \
             it is sound and used as it is"
        );
    }
    Ok(())
}

/// Whether another program opened the store after it was abandoned and closed it in order: SQLite
/// then puts the log into the file and removes it together with its index. Whoever removes the
/// log by hand leaves the index behind.
fn was_closed_by_another(files: &StoreFiles) -> io::Result<bool> {
    Ok(!files.log_index().try_exists()?)
}

/// Refuses a database that is not ours, or newer than `newest`; one with nothing in it is fine.
pub(super) fn judge(
    file: &Path,
    connection: &Connection,
    newest: i64,
) -> Result<(), StoreOpenError> {
    let failed = |error| refused(file, error);
    let format = FileFormat::of(connection).map_err(failed)?;
    // Asked for in any case, since it reads what all tables are.
    let empty = is_empty(connection).map_err(failed)?;
    if format == FileFormat::EMPTY && empty { Ok(()) } else { format.judge(file, newest) }
}

/// What damage is, is for the file to say; everything else is the store's.
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
