//! One chat at a time for each session, in all processes of a user: a lock on a file.
//!
//! The system gives the lock back when whoever has it ends, however that happens.

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

/// Why a session is not locked.
#[derive(Debug, thiserror::Error)]
pub(super) enum SessionLockError {
    /// Somebody chats in it, here or in another process.
    #[error("a chat is running in it: wait for its end")]
    Busy,
    /// The folder of locks cannot be used.
    #[error("the folder of locks cannot be used")]
    Io(#[from] io::Error),
}

impl SessionLock {
    /// Locks a session, unless somebody has.
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

/// A name that no two sessions share, whatever is in theirs.
fn file_name(owner: &Owner, name: &str) -> String {
    let text = format!("{}:{}{name}", owner.as_str().len(), owner.as_str());
    let bytes = digest(&SHA256, text.as_bytes());
    format!("{}.lock", HexDigits(&bytes.as_ref()[..16]))
}

#[cfg(test)]
mod tests;
