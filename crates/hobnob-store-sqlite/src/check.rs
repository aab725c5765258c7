//! Checks a store without changing anything, even while other processes use it.
//!
//! `hobnob doctor` calls it; it creates no file that was not there.

use super::connection::{ConnectionUse, connect, look_at};
use super::draft::DraftFile;
use super::files::{StoreFiles, size};
use super::inspect;
use super::migrate::{FileFormat, NEWEST};
use super::presence::{OpenState, OpeningLock};
use super::vet::{judge, refused, vet};
use hobnob_store::StoreOpenError;
use hobnob_store::maintenance::StoreHealth;
use rusqlite::Connection;
use std::error::Error as _;
use std::io;
use std::path::Path;

/// Checks a whole store. Creates no file where there is none. A store that was not closed properly
/// is checked in a copy next to it, since its log cannot be read without writing.
pub fn check(file: &Path) -> StoreHealth {
    match look(file) {
        Ok(health) => health,
        Err(error) => {
            let why = error.source().map_or_else(String::new, |source| format!(": {source}"));
            StoreHealth::Problems(vec![format!("{error}{why}")])
        }
    }
}

fn look(file: &Path) -> Result<StoreHealth, StoreOpenError> {
    let io = |source| StoreOpenError::Io { file: file.into(), source };
    let files = match StoreFiles::find(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoreHealth::Absent),
        files => files.map_err(io)?,
    };
    let opening_lock = OpeningLock::enter_if_there(&files).map_err(io)?;
    let found =
        opening_lock.as_ref().map_or(Ok(OpenState::Closed), OpeningLock::state).map_err(io)?;
    // While the lock is held, no further process opens the store.
    let _opening_lock = match opening_lock {
        Some(opening_lock) if found == OpenState::Used => {
            return look_with_others(&files, opening_lock);
        }
        opening_lock => opening_lock,
    };
    vet(&files, found, NEWEST)?;
    if size(files.file()).map_err(io)?.is_none_or(|size| size == 0) {
        return Ok(StoreHealth::Absent);
    }
    if !files.has_log().map_err(io)? {
        let connection = look_at(files.file()).map_err(|error| refused(file, error))?;
        return look_through(file, &connection);
    }
    let copy = DraftFile::copy(files.file(), files.file()).map_err(io)?;
    let connection = copy.connect().map_err(|error| refused(file, error))?;
    look_through(file, &connection)
}

/// Checks the store while other processes read and write, open and close it.
fn look_with_others(
    files: &StoreFiles,
    opening_lock: OpeningLock,
) -> Result<StoreHealth, StoreOpenError> {
    let file = files.file();
    let presence =
        opening_lock.join().map_err(|source| StoreOpenError::Io { file: file.into(), source })?;
    let connection = connect(file, ConnectionUse::Read).map_err(|error| refused(file, error));
    drop(opening_lock);
    let health = connection.and_then(|connection| look_through(file, &connection));
    drop(presence);
    health
}

fn look_through(file: &Path, connection: &Connection) -> Result<StoreHealth, StoreOpenError> {
    judge(file, connection, NEWEST)?;
    if FileFormat::of(connection).map_err(|error| refused(file, error))? == FileFormat::EMPTY {
        return Ok(StoreHealth::Absent);
    }
    let problems = inspect::problems(connection).map_err(|error| refused(file, error))?;
    Ok(if problems.is_empty() { StoreHealth::Sound } else { StoreHealth::Problems(problems) })
}
