//! Replaces a store that no process has open with a backup; the old store is renamed, not removed.
//!
//! `hobnob restore` calls it. An invalid backup is refused before anything is touched.

use super::convert::WorkError;
use super::draft::{DraftFile, copy_bytes};
use super::files::{StoreFiles, beside, folder_of, remove};
use super::inspect;
use super::migrate::{FileFormat, NEWEST};
use super::presence::{OpenState, OpeningLock};
use hobnob_disk::{flush_folder, make_folder};
use hobnob_store::StoreError;
use hobnob_store::maintenance::{ExistingFile, RestoreError, RestoredStore, StoreContents};
use rusqlite::Connection;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

impl From<WorkError> for RestoreError {
    fn from(error: WorkError) -> Self {
        Self::Store(error.into())
    }
}

/// Replaces the store `to` with a copy of `from`, after checking the whole backup. `from` may be
/// the store itself, to continue with what is left of it.
pub fn restore(
    from: &Path,
    to: &Path,
    existing: ExistingFile,
) -> Result<RestoredStore, RestoreError> {
    let io = |source| RestoreError::Io { file: to.into(), source };
    make_folder(folder_of(to)).map_err(io)?;
    let files = StoreFiles::find(to).map_err(io)?;
    let opening_lock = OpeningLock::enter(&files).map_err(io)?;
    if opening_lock.state().map_err(io)? == OpenState::Used {
        return Err(RestoreError::InUse(to.into()));
    }
    let there = files.file().try_exists().map_err(io)?;
    if there && !files.file().is_file() {
        return Err(unusable(to, "it is not a file, move it away first"));
    }
    if (there || files.has_log().map_err(io)?) && existing == ExistingFile::Refuse {
        return Err(RestoreError::Exists(to.into()));
    }
    let draft = copy(from, &files)?;
    let connection = draft.connect()?;
    let contents = prove(from, &draft, &connection)?;
    let name = name_for_kept(&connection, &files)?;
    drop(connection);
    let kept = set_aside(&opening_lock, &name).map_err(io)?;
    draft.publish(files.file()).map_err(io)?;
    opening_lock.clear().map_err(io)?;
    Ok(RestoredStore { contents, kept: kept.then_some(name) })
}

fn copy(from: &Path, to: &StoreFiles) -> Result<DraftFile, RestoreError> {
    let io = |source| RestoreError::Io { file: from.into(), source };
    let source = StoreFiles::find(from).map_err(io)?;
    if !fs::metadata(source.file()).map_err(io)?.is_file() {
        return Err(unusable(from, "it is not a file"));
    }
    // A store that another process writes to cannot be copied file by file.
    let other =
        if source == *to { None } else { OpeningLock::enter_if_there(&source).map_err(io)? };
    if let Some(opening_lock) = &other
        && opening_lock.state().map_err(io)? == OpenState::Used
    {
        return Err(RestoreError::InUse(from.into()));
    }
    DraftFile::copy(source.file(), to.file()).map_err(io)
}

/// Checks the copy, and merges its log into one file.
fn prove(
    from: &Path,
    draft: &DraftFile,
    connection: &Connection,
) -> Result<StoreContents, RestoreError> {
    let damaged = |error: WorkError| match error.into_port() {
        StoreError::Damaged(reason) => unusable(from, &reason),
        error => error.into(),
    };
    let format = FileFormat::of(connection).map_err(damaged)?;
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

fn name_for_kept(connection: &Connection, files: &StoreFiles) -> Result<PathBuf, WorkError> {
    let sql = "SELECT strftime('.before-restore-%Y%m%dT%H%M%fZ', 'now')";
    let suffix: String = connection.query_row(sql, (), |row| row.get(0))?;
    Ok(beside(files.file(), &suffix))
}

/// Keeps the store with its log under another name, then removes the files that must not stay next
/// to the new one; returns whether there were any. The database file itself stays until it is
/// replaced, so no process finds it missing in between.
fn set_aside(opening_lock: &OpeningLock, name: &Path) -> io::Result<bool> {
    let files = opening_lock.files();
    let mut kept = false;
    for suffix in ["", "-wal", "-journal"] {
        let file = beside(files.file(), suffix);
        if file.try_exists()? {
            keep(&file, &beside(name, suffix))?;
            kept = true;
        }
    }
    if files.has_log()? {
        opening_lock.mark()?;
    }
    flush_folder(folder_of(files.file()))?;
    for suffix in ["-wal", "-journal", "-shm"] {
        remove(&beside(files.file(), suffix))?;
    }
    // The new file must never be found next to the old file's log.
    flush_folder(folder_of(files.file()))?;
    Ok(kept)
}

/// Hard-links a file to a second name; copies it if the file system has no hard links.
fn keep(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name).or_else(|_| copy_bytes(file, name))
}

fn unusable(file: &Path, reason: &str) -> RestoreError {
    RestoreError::Unusable { file: file.into(), reason: reason.into() }
}
