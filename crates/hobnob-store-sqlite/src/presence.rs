//! Tracks which processes have a store open, and whether it was closed properly. The opening lock,
//! an exclusive file lock, serialises opening, closing and replacing a store. The open mark, a file
//! on which each user holds a shared lock, exists from the first open to the last close.

use super::connection::{ConnectionUse, connect, wait_for_others};
use super::convert::WorkError;
use super::files::{StoreFiles, open_private, remove};
use hobnob_store::StoreError;
use rusqlite::config::DbConfig;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;

/// The state of a store, determined under the opening lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenState {
    /// No process has the store open, and the last one closed it properly.
    Closed,
    /// No process has it open, and the last one ended without closing it.
    Abandoned,
    /// Another process has it open.
    Used,
}

/// Exclusive permission to open, close or replace a store.
#[derive(Debug)]
pub(super) struct OpeningLock {
    files: StoreFiles,
    /// Holds the lock until it is dropped.
    _lock: File,
}

impl OpeningLock {
    /// Waits for the lock, up to a timeout.
    pub(super) fn enter(files: &StoreFiles) -> io::Result<Self> {
        let lock = open_private(OpenOptions::new().create(true), &files.lock_file())?;
        Self::take(files, lock)
    }

    /// The same, if the lock file exists: a file that never was a store has none.
    pub(super) fn enter_if_there(files: &StoreFiles) -> io::Result<Option<Self>> {
        match File::open(files.lock_file()) {
            Ok(lock) => Self::take(files, lock).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn take(files: &StoreFiles, lock: File) -> io::Result<Self> {
        let mut tries = 0;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(Self { files: files.clone(), _lock: lock }),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if wait_for_others(tries) => tries += 1,
                Err(TryLockError::WouldBlock) => {
                    let reason = "other processes were opening or closing it for too long";
                    return Err(io::Error::new(io::ErrorKind::TimedOut, reason));
                }
            }
        }
    }

    /// Determines the state of the store.
    pub(super) fn state(&self) -> io::Result<OpenState> {
        let mark = match File::open(self.files.open_mark()) {
            Ok(mark) => mark,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(OpenState::Closed),
            Err(error) => return Err(error),
        };
        match mark.try_lock() {
            Ok(()) => Ok(OpenState::Abandoned),
            Err(TryLockError::WouldBlock) => Ok(OpenState::Used),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Registers this process as having the store open. A caller that has a connection closes it
    /// before it drops the presence.
    pub(super) fn join(&self) -> io::Result<Presence> {
        let mark = self.mark()?;
        mark.lock_shared()?;
        Ok(Presence { files: self.files.clone(), lock: Some(mark) })
    }

    /// Creates the open mark. SQLite syncs the folder with the first write to a new log, which
    /// makes the mark durable before there is anything to lose.
    pub(super) fn mark(&self) -> io::Result<File> {
        open_private(OpenOptions::new().create(true), &self.files.open_mark())
    }

    /// Removes the open mark: the store is closed properly.
    pub(super) fn clear(&self) -> io::Result<()> {
        remove(&self.files.open_mark())
    }

    /// The files of this store.
    pub(super) fn files(&self) -> &StoreFiles {
        &self.files
    }
}

/// A process's registration; dropping the last one closes the store properly.
#[derive(Debug)]
pub(super) struct Presence {
    files: StoreFiles,
    lock: Option<File>,
}

impl Presence {
    /// The files of this store.
    pub(super) fn files(&self) -> &StoreFiles {
        &self.files
    }

    fn leave(&mut self) -> io::Result<()> {
        let opening_lock = OpeningLock::enter(&self.files)?;
        drop(self.lock.take());
        match opening_lock.state()? {
            OpenState::Abandoned => {
                close(&opening_lock).map_err(|error| io::Error::other(error.into_port()))
            }
            OpenState::Closed | OpenState::Used => Ok(()),
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // The store then counts as abandoned, and the next process to open it checks it.
        if let Err(error) = self.leave() {
            tracing::warn!(%error, "the store could not be closed properly");
        }
    }
}

/// Moves the log into the database, then removes the open mark. SQLite removes the log after that,
/// so the mark never exists without a log that is still needed.
fn close(opening_lock: &OpeningLock) -> Result<(), WorkError> {
    let connection = connect(opening_lock.files.file(), ConnectionUse::Write)?;
    let busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
    if busy {
        return Err(StoreError::Busy.into());
    }
    opening_lock.clear().map_err(|error| StoreError::Unwritable(error.to_string()))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}
