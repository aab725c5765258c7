//! Puts a backup in the place of a store that nobody has open. What was there is kept.

use super::backup::Existing;
use super::draft::{Draft, copy_bytes};
use super::inspect::{self, Contents};
use super::migrate::{Format, NEWEST};
use super::place::{Place, beside, folder_of, make_folder, remove, sync_folder};
use super::presence::{Found, Gate};
use crate::error::StoreError;
use rusqlite::Connection;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// What the store has in it now.
    pub contents: Contents,
    /// Where what was there before is now, if there was anything.
    pub kept: Option<PathBuf>,
}

/// Why nothing was restored. The store is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The backup is none of ours, newer than us, or damaged; or there is no place for it.
    #[error("{} cannot be used: {reason}", .file.display())]
    Unusable {
        /// Which.
        file: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Somebody has it open.
    #[error("{} is in use: end every Hobnob that uses it, then try again", .0.display())]
    InUse(PathBuf),
    /// There is a store, and it was not said that it may be replaced.
    #[error("{} is there already: replace it with --force, it will be kept", .0.display())]
    Exists(PathBuf),
    /// The system says no.
    #[error("{} cannot be read or written", .file.display())]
    Io {
        /// Which.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The backup cannot be read, or its copy not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Puts a copy of `from` in the place of the store `to`. All of the backup is looked at before the
/// store is touched. `from` may be the store itself, to go on with what is left of it.
pub fn restore(from: &Path, to: &Path, existing: Existing) -> Result<Restored, RestoreError> {
    let io = |source| RestoreError::Io { file: to.into(), source };
    make_folder(folder_of(to)).map_err(io)?;
    let place = Place::find(to).map_err(io)?;
    let gate = Gate::enter(&place).map_err(io)?;
    if gate.look().map_err(io)? == Found::Used {
        return Err(RestoreError::InUse(to.into()));
    }
    let there = place.file().try_exists().map_err(io)?;
    if there && !place.file().is_file() {
        return Err(unusable(to, "it is not a file, move it away first"));
    }
    if (there || place.has_log().map_err(io)?) && existing == Existing::Refuse {
        return Err(RestoreError::Exists(to.into()));
    }
    let draft = copy(from, &place)?;
    let connection = draft.connect()?;
    let contents = prove(from, &draft, &connection)?;
    let name = name_for_kept(&connection, &place)?;
    drop(connection);
    let kept = set_aside(&gate, &name).map_err(io)?;
    draft.publish(place.file()).map_err(io)?;
    gate.clear().map_err(io)?;
    Ok(Restored { contents, kept: kept.then_some(name) })
}

fn copy(from: &Path, to: &Place) -> Result<Draft, RestoreError> {
    let io = |source| RestoreError::Io { file: from.into(), source };
    let source = Place::find(from).map_err(io)?;
    if !fs::metadata(source.file()).map_err(io)?.is_file() {
        return Err(unusable(from, "it is not a file"));
    }
    // A store that somebody writes to cannot be copied file by file.
    let other = if source == *to { None } else { Gate::enter_if_there(&source).map_err(io)? };
    if let Some(gate) = &other
        && gate.look().map_err(io)? == Found::Used
    {
        return Err(RestoreError::InUse(from.into()));
    }
    Draft::copy(source.file(), to.file()).map_err(io)
}

/// Looks through the copy, and makes one file of it.
fn prove(from: &Path, draft: &Draft, connection: &Connection) -> Result<Contents, RestoreError> {
    let damaged = |error| match error {
        StoreError::Damaged(reason) => unusable(from, &reason),
        error => error.into(),
    };
    let format = Format::of(connection).map_err(damaged)?;
    if let Some(misfit) = format.misfit(NEWEST) {
        return Err(unusable(from, &misfit.to_string()));
    }
    let problems = inspect::problems(connection)?;
    if !problems.is_empty() {
        return Err(unusable(from, &problems.join("; ")));
    }
    draft.settle(connection).map_err(damaged)?;
    inspect::contents(connection, draft.path()).map_err(damaged)
}

fn name_for_kept(connection: &Connection, place: &Place) -> Result<PathBuf, StoreError> {
    let sql = "SELECT strftime('.before-restore-%Y%m%dT%H%M%fZ', 'now')";
    let suffix: String = connection.query_row(sql, (), |row| row.get(0))?;
    Ok(beside(place.file(), &suffix))
}

/// Keeps the store with its log under another name, then takes away what must not be found beside
/// the new one; whether there was anything. The store itself is there until the new one is, so
/// that nobody who comes in between takes it for one that never was.
fn set_aside(gate: &Gate, name: &Path) -> io::Result<bool> {
    let place = gate.place();
    let mut kept = false;
    for suffix in ["", "-wal", "-journal"] {
        let file = beside(place.file(), suffix);
        if file.try_exists()? {
            keep(&file, &beside(name, suffix))?;
            kept = true;
        }
    }
    if place.has_log()? {
        gate.mark()?;
    }
    sync_folder(folder_of(place.file()))?;
    for suffix in ["-wal", "-journal", "-shm"] {
        remove(&beside(place.file(), suffix))?;
    }
    // The new one must never be found beside the old one's log.
    sync_folder(folder_of(place.file()))?;
    Ok(kept)
}

/// A second name for a file; a copy where the file system knows only one.
fn keep(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name).or_else(|_| copy_bytes(file, name))
}

fn unusable(file: &Path, reason: &str) -> RestoreError {
    RestoreError::Unusable { file: file.into(), reason: reason.into() }
}
