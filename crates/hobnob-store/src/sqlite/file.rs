//! Opening the file: it is made for its owner only, and refused if it is not ours, newer than us,
//! damaged, or without its log. Nothing is written to a file that is refused.

use super::connection::{Use, connect, set_journal};
use super::inspect;
use super::migrate::migrate;
use super::place::{Place, folder_of, make_folder, open_private, size};
use super::presence::{Found, Gate, Presence};
use super::vet::{judge, refused, vet};
use crate::error::OpenError;
use rusqlite::Connection;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// A file that nobody closed in order is looked through if it is not longer than this, which
/// takes about a tenth of a second.
const LOOKED_THROUGH: u64 = 32 << 20;

/// A store that is ours and has the newest format.
pub(super) struct Opened {
    /// To write with.
    pub(super) connection: Connection,
    /// Ends after all connections.
    pub(super) presence: Presence,
}

/// Opens the file for writing, makes it if it is not there, and makes the steps that it lacks.
pub(super) fn open(file: &Path, steps: &[&str]) -> Result<Opened, OpenError> {
    let io = |source| OpenError::Io { file: file.into(), source };
    make_folder(folder_of(file)).map_err(io)?;
    let place = Place::find(file).map_err(io)?;
    let gate = Gate::enter(&place).map_err(io)?;
    let found = gate.look().map_err(io)?;
    let newest = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    if found != Found::Used {
        vet(&place, found, newest)?;
        create(place.file()).map_err(io)?;
    }
    let mut connection = connect_to(&place, newest)?;
    if found == Found::Abandoned {
        look_through(&place, &connection)?;
    }
    use_log(file, &connection)?;
    migrate(&mut connection, steps).map_err(|error| refused(file, error))?;
    let presence = gate.join().map_err(io)?;
    Ok(Opened { connection, presence })
}

fn create(file: &Path) -> io::Result<()> {
    match open_private(OpenOptions::new().create_new(true), file) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

fn connect_to(place: &Place, newest: i64) -> Result<Connection, OpenError> {
    let file = place.file();
    let failed = |error| refused(file, error);
    let connection = connect(file, Use::Write).map_err(failed)?;
    // SQLite is content with reading where it may not write.
    if connection.is_readonly("main").map_err(|error| failed(error.into()))? {
        let source = io::ErrorKind::PermissionDenied.into();
        return Err(OpenError::Io { file: file.into(), source });
    }
    judge(file, &connection, newest)?;
    Ok(connection)
}

fn look_through(place: &Place, connection: &Connection) -> Result<(), OpenError> {
    let file = place.file();
    let length = size(file).map_err(|source| OpenError::Io { file: file.into(), source })?;
    if length.is_none_or(|length| LOOKED_THROUGH < length) {
        return Ok(());
    }
    match inspect::quickly(connection).map_err(|error| refused(file, error))? {
        Some(reason) => Err(OpenError::Unusable { file: file.into(), reason }),
        None => Ok(()),
    }
}

fn use_log(file: &Path, connection: &Connection) -> Result<(), OpenError> {
    let journal = set_journal(connection, "WAL").map_err(|error| refused(file, error))?;
    if journal == "wal" {
        return Ok(());
    }
    let reason = format!("its file system does not take a write-ahead log ({journal})");
    Err(OpenError::Unusable { file: file.into(), reason })
}
