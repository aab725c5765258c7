//! Who has a store open, and whether it was closed in order. Whoever opens, closes or replaces one
//! is alone at its gate meanwhile; the mark is there from the first who opens until the last has
//! closed, and all of them hold its lock.

use super::connection::{ConnectionUse, connect, wait_for_others};
use super::convert::WorkError;
use super::files::{StoreFiles, open_private, remove};
use hobnob_store::StoreError;
use rusqlite::config::DbConfig;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;

/// What somebody finds who has come to the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenState {
    /// Nobody has the store open, and the last one closed it in order.
    Closed,
    /// Nobody has it open, and whoever did was not able to close it.
    Abandoned,
    /// Others have it open.
    Used,
}

/// The gate, with nobody else at it.
#[derive(Debug)]
pub(super) struct OpeningLock {
    files: StoreFiles,
    /// Holds the lock until it is dropped.
    _lock: File,
}

impl OpeningLock {
    /// Waits until nobody else is at it, but not for ever.
    pub(super) fn enter(files: &StoreFiles) -> io::Result<Self> {
        let lock = open_private(OpenOptions::new().create(true), &files.lock_file())?;
        Self::take(files, lock)
    }

    /// The same, if there is a gate: a file that was never a store has none.
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

    /// Looks who is there.
    pub(super) fn look(&self) -> io::Result<OpenState> {
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

    /// Counts us among those who have the store open. Whoever does this has a connection, and
    /// closes it before the presence ends.
    pub(super) fn join(&self) -> io::Result<Presence> {
        let mark = self.mark()?;
        mark.lock_shared()?;
        Ok(Presence { files: self.files.clone(), lock: Some(mark) })
    }

    /// Says that the store is not in order. SQLite syncs the folder with the first write to a new
    /// log, and so makes this durable before there is anything to lose.
    pub(super) fn mark(&self) -> io::Result<File> {
        open_private(OpenOptions::new().create(true), &self.files.open_mark())
    }

    /// Says that the store is in order.
    pub(super) fn clear(&self) -> io::Result<()> {
        remove(&self.files.open_mark())
    }

    /// Whose gate it is.
    pub(super) fn files(&self) -> &StoreFiles {
        &self.files
    }
}

/// One who has the store open. With the last of all the store is closed in order.
#[derive(Debug)]
pub(super) struct Presence {
    files: StoreFiles,
    lock: Option<File>,
}

impl Presence {
    /// Where the store is.
    pub(super) fn files(&self) -> &StoreFiles {
        &self.files
    }

    fn leave(&mut self) -> io::Result<()> {
        let opening_lock = OpeningLock::enter(&self.files)?;
        drop(self.lock.take());
        match opening_lock.look()? {
            OpenState::Abandoned => {
                close(&opening_lock).map_err(|error| io::Error::other(error.into_port()))
            }
            OpenState::Closed | OpenState::Used => Ok(()),
        }
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // Then it counts as abandoned, and whoever opens it next looks at it more closely.
        if let Err(error) = self.leave() {
            tracing::warn!(%error, "the store could not be closed in order");
        }
    }
}

/// Puts everything that is in the log into the database, then says that it is in order. SQLite
/// removes the log after that: at no time is the mark there and a log that was needed is not.
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
