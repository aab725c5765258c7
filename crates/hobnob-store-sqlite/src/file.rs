//! Opens the store's file: a new file is readable by its owner only. A file that is foreign, too
//! new, damaged or without its log is refused, and nothing is written to it.

use super::connection::{ConnectionUse, connect, set_journal};
use super::convert::store_error;
use super::files::{StoreFiles, folder_of, open_private, size};
use super::index;
use super::inspect;
use super::migrate::migrate;
use super::presence::{OpenState, OpeningLock, Presence};
use super::vet::{judge, refused, vet};
use hobnob_disk::make_folder;
use hobnob_store::StoreOpenError;
use rusqlite::Connection;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// A file that was not closed properly is checked for damage if it is not larger than this, which
/// takes about a tenth of a second.
const MAX_CHECKED_SIZE: u64 = 32 << 20;

/// An opened store of the newest format.
pub(super) struct OpenedFile {
    /// The connection of the writer.
    pub(super) connection: Connection,
    /// Dropped after all connections.
    pub(super) presence: Presence,
}

/// Opens the file for writing, creating it or migrating it to the newest format if necessary.
pub(super) fn open(file: &Path, steps: &[&str]) -> Result<OpenedFile, StoreOpenError> {
    let io = |source| StoreOpenError::Io { file: file.into(), source };
    make_folder(folder_of(file)).map_err(io)?;
    let files = StoreFiles::find(file).map_err(io)?;
    let opening_lock = OpeningLock::enter(&files).map_err(io)?;
    let found = opening_lock.state().map_err(io)?;
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if found != OpenState::Used {
        vet(&files, found, newest)?;
        create(files.file()).map_err(io)?;
    }
    let mut connection = connect_to(&files, newest)?;
    if found == OpenState::Abandoned {
        look_through(&files, &connection)?;
    }
    use_log(file, &connection)?;
    migrate(&mut connection, steps).map_err(|error| refused(file, error))?;
    index::prepare(&connection).map_err(|error| refused(file, store_error(error)))?;
    let presence = opening_lock.join().map_err(io)?;
    Ok(OpenedFile { connection, presence })
}

fn create(file: &Path) -> io::Result<()> {
    match open_private(OpenOptions::new().create_new(true), file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn connect_to(files: &StoreFiles, newest: i64) -> Result<Connection, StoreOpenError> {
    let file = files.file();
    let connection = connect(file, ConnectionUse::Write).map_err(|error| refused(file, error))?;
    // SQLite silently falls back to read-only access.
    if connection.is_readonly("main").map_err(|error| refused(file, store_error(error)))? {
        let source = io::ErrorKind::PermissionDenied.into();
        return Err(StoreOpenError::Io { file: file.into(), source });
    }
    judge(file, &connection, newest)?;
    Ok(connection)
}

fn look_through(files: &StoreFiles, connection: &Connection) -> Result<(), StoreOpenError> {
    let file = files.file();
    let length = size(file).map_err(|source| StoreOpenError::Io { file: file.into(), source })?;
    if length.is_none_or(|length| MAX_CHECKED_SIZE < length) {
        return Ok(());
    }
    match inspect::quickly(connection).map_err(|error| refused(file, error))? {
        Some(reason) => Err(StoreOpenError::Unusable { file: file.into(), reason }),
        None => Ok(()),
    }
}

fn use_log(file: &Path, connection: &Connection) -> Result<(), StoreOpenError> {
    let journal = set_journal(connection, "WAL").map_err(|error| refused(file, error))?;
    if journal == "wal" {
        return Ok(());
    }
    let reason = format!("its file system does not take a write-ahead log ({journal})");
    Err(StoreOpenError::Unusable { file: file.into(), reason })
}
