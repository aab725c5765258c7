//! A lock between processes: on a file, so the system gives it back however its holder ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::private::{make_folder, private};

#[cfg(test)]
mod tests;

/// How long a process waits for another one that holds a lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// How long it sleeps between two attempts.
const LOCK_STEP: Duration = Duration::from_millis(10);

/// A lock between processes, held until it is dropped or its process ends.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

/// Why the lock could not be acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another process held it during the whole wait.
    #[error("{} is locked by another process: try again, or stop the other process", .0.display())]
    Busy(PathBuf),
    /// The lock file cannot be used.
    #[error("cannot lock {}", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

impl Lock {
    /// Waits for the lock, at most five seconds.
    pub fn acquire(path: &Path) -> Result<Self, LockError> {
        Self::acquire_within(path, LOCK_WAIT)
    }

    /// Waits for the lock, at most as long as `wait` says.
    pub fn acquire_within(path: &Path, wait: Duration) -> Result<Self, LockError> {
        let file = open(path)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Err(TryLockError::WouldBlock) if begun.elapsed() <= wait => {
                    std::thread::sleep(LOCK_STEP);
                }
                tried => return Self::held(file, tried, path),
            }
        }
    }

    /// The lock, if nobody holds it now.
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
    /// Closing the file is not enough: a process that is being started has a copy of the descriptor
    /// until its program runs, and the lock would last as long.
    fn drop(&mut self) {
        drop(self.file.unlock());
    }
}

/// Opens the lock's file; it and the folders above it are created if they are not there.
fn open(path: &Path) -> Result<File, LockError> {
    let failed = |error| LockError::Io(path.into(), error);
    if let Some(folder) = path.parent() {
        make_folder(folder).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    private(&mut options).open(path).map_err(failed)
}
