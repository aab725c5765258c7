//! What came of restoring a backup, or why nothing was restored.

use super::contents::StoreContents;
use crate::error::StoreError;
use std::io;
use std::path::PathBuf;

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredStore {
    /// What the store has in it now.
    pub contents: StoreContents,
    /// Where what was there before is now, if there was anything.
    pub kept: Option<PathBuf>,
}

/// Why nothing was restored. The store is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The backup is none of ours, newer than us, or damaged; or there is no place for it.
    #[error("{} cannot be used: {reason}", .file.display())]
    Unusable {
        /// The backup that was named.
        file: PathBuf,
        /// What is wrong with it, in words.
        reason: String,
    },
    /// Somebody has it open.
    #[error("{} is in use: end every Hobnob that uses it, then try again", .0.display())]
    InUse(PathBuf),
    /// There is a store, and it was not said that it may be replaced.
    #[error("{} is there already: replace it with --force, it will be kept", .0.display())]
    Exists(PathBuf),
    /// The system says no.
    #[error("{} cannot be read or written", .file.display())]
    Io {
        /// The file that could not be read or written.
        file: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The backup cannot be read, or its copy not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
