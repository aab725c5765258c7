//! A lock between processes: on a file, so the system gives it back however its holder ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::private::{make_folder, private};

/// How long a process waits for another one that holds a lock.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// How long it sleeps between two attempts.
const LOCK_STEP: Duration = Duration::from_millis(10);

/// A lock between processes, held until it is dropped or its process ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
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
        let failed = |error| LockError::Io(path.into(), error);
        if let Some(folder) = path.parent() {
            make_folder(folder).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let file = private(&mut options).open(path).map_err(failed)?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if LOCK_WAIT < begun.elapsed() => {
                    return Err(LockError::Busy(path.into()));
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_STEP),
            }
        }
    }
}
