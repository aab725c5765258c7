//! Allows one chat at a time per session, across all processes of a user, by a lock on a file.
//!
//! The operating system releases the lock when the process that holds it ends, even by a crash.

use hobnob_disk::{Lock, LockError};
use hobnob_store::Owner;
use hobnob_text::hex::HexDigits;
use ring::digest::{SHA256, digest};
use std::io;
use std::path::Path;

/// Holds the session's lock until it is dropped.
#[derive(Debug)]
pub(super) struct SessionLock {
    _lock: Lock,
}

/// Why a session could not be locked.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionLockError {
    /// A chat is running in the session, in this process or in another one.
    #[error("a chat is running in it: wait for its end")]
    Busy,
    /// The lock file could not be created or locked.
    #[error("the folder of locks cannot be used")]
    Io(#[from] io::Error),
}

impl SessionLock {
    /// Locks a session, or fails at once if it is locked.
    pub(super) fn acquire(
        folder: &Path,
        owner: &Owner,
        name: &str,
    ) -> Result<Self, SessionLockError> {
        match Lock::try_acquire(&folder.join(file_name(owner, name))) {
            Ok(lock) => Ok(Self { _lock: lock }),
            Err(LockError::Busy(_)) => Err(SessionLockError::Busy),
            Err(LockError::Io(_, error)) => Err(error.into()),
        }
    }
}

/// The name of the lock file: a hash in which the owner's length keeps owner and name apart.
fn file_name(owner: &Owner, name: &str) -> String {
    let text = format!("{}:{}{name}", owner.as_str().len(), owner.as_str());
    let bytes = digest(&SHA256, text.as_bytes());
    format!("{}.lock", HexDigits(&bytes.as_ref()[..16]))
}

#[cfg(test)]
mod tests;
