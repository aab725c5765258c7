//! A file lock between processes. The system releases it however its holder ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::private::{make_folder, private};

#[cfg(test)]
mod tests;

/// How long [`Lock::acquire`] waits for another process that holds the lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// How long a waiting process sleeps between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// A lock between processes, held until it is dropped or its process ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Why the lock could not be acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held the lock during the whole wait.
    #[error("{} is locked by another process: try again, or stop the other process", .0.display())]
    Busy(PathBuf),
    /// The lock file cannot be used.
    #[error("cannot lock {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

impl Lock {
    /// Waits for the lock for at most five seconds.
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        Self::acquire_within(path, LOCK_WAIT)
    }

    /// Waits for the lock for at most `wait`.
    pub fn acquire_within(path: &Path, wait: Duration) -> Result<Self, LockError> {
        let file = open(path)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if begun.elapsed() <= wait => {
                    std::thread::sleep(RETRY_INTERVAL);
                }
                tried => return Self::held(file, tried, path),
            }
        }
    }

    /// Takes the lock if no other process holds it now; never waits.
    pub fn try_acquire(path: &Path) -> Result<Self, LockError> {
        let file = open(path)?;
        let tried = file.try_lock();
        Self::held(file, tried, path)
    }

    fn held(file: File, tried: Result<(), TryLockError>, path: &Path) -> Result<Self, LockError> {
        match tried {
            Ok(()) => Ok(Self { file }),
            Err(TryLockError::WouldBlock) => Err(LockError::Busy(path.into())),
            Err(TryLockError::Error(error)) => Err(LockError::Io(path.into(), error)),
        }
    }
}

impl Drop for Lock {
    /// Closing the file is not enough: a child process that is being spawned has a copy of the
    /// descriptor until its program runs, and would hold the lock as long.
    fn drop(&mut self) {
        drop(self.file.unlock());
    }
}

/// Opens the lock's file, and creates it and the folders above it if they are missing.
fn open(path: &Path) -> Result<File, LockError> {
    let failed = |error| LockError::Io(path.into(), error);
    if let Some(folder) = path.parent() {
        make_folder(folder).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    private(&mut options).open(path).map_err(failed)
}
