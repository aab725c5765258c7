//! Files of logins: bounded reads, removal, and locks with a timeout.
//!
//! The store on disk calls these on blocking threads; `hobnob-disk` writes the files.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;
use std::time::Duration;

use hobnob_disk::{Lock, LockError};

/// Larger files are refused; no login is that large.
const MAX_BYTES: u64 = 256 * 1024;
/// How long to wait for a lock. A refresh sends at most two requests to an authorization server.
const LOCK_WAIT: Duration = Duration::from_secs(30);

/// Reads a file; `None` if it does not exist.
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

/// Removes a file; it is no error if it does not exist.
pub(crate) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Waits for a lock; `None` if another process still holds it after [`LOCK_WAIT`].
pub(crate) fn lock(file: &Path) -> io::Result<Option<Lock>> {
    match Lock::acquire_within(file, LOCK_WAIT) {
        Ok(lock) => Ok(Some(lock)),
        Err(LockError::Busy(_)) => Ok(None),
        Err(LockError::Io(_, error)) => Err(error),
    }
}
