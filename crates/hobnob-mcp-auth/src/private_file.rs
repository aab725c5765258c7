//! Files of logins: bounded reads, removal, and a lock that waits as long as a refresh may take.
//!
//! The store on disk uses them, off the runtime, since they block; `hobnob-disk` writes.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use hobnob_disk::{Lock, LockError};

/// Larger files are not ours.
const MAX_BYTES: u64 = 256 * 1024;
/// How long another process may hold a lock: a refresh asks an authorization server twice at most.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// The bytes of a file, or `None` if there is none.
pub(crate) fn read(file: &Path) -> io::Result<Option<Vec<u8>>> {
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    opened.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if MAX_BYTES < bytes.len() as u64 {
        return Err(io::Error::other("it is too large"));
    }
    Ok(Some(bytes))
}

/// Removes a file; one that is not there is removed already.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Waits for a lock; `None` if another process keeps it.
pub(crate) fn lock(file: &Path) -> io::Result<Option<Lock>> {
    match Lock::acquire_within(file, LOCK_WAIT) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Busy(_)) => Ok(None),
        Err(LockError::Io(_, error)) => Err(error),
    }
}
