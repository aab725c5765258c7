//! The result and the errors of restoring a backup.

use super::contents::StoreContents;
use crate::error::StoreError;
use std::io;
use std::path::PathBuf;

/// What a restore did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredStore {
    /// What the store contains now.
    pub contents: StoreContents,
    /// Where the replaced store is now, if there was one.
    pub kept: Option<PathBuf>,
}

/// Why nothing was restored. The store was left unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RestoreError {
    /// The backup is no Hobnob store, too new or damaged; or the target is unusable.
    #[error("{} cannot be used: {reason}", .file.display())]
    Unusable {
        /// The path of the backup file.
        file: PathBuf,
        /// What is wrong with it, as text.
        reason: String,
    },
    /// The store is in a database on a server, whose own program restores it.
    #[error("the store is on a server, {at}: stop every Hobnob, then restore it with `{command}`")]
    OnServer {
        /// The database without its password.
        at: String,
        /// The command, with capital letters for what the user fills in.
        command: String,
    },
    /// Another process has the store open.
    #[error("{} is in use: end every Hobnob that uses it, then try again", .0.display())]
    InUse(PathBuf),
    /// A store exists, and the caller did not allow replacing it.
    #[error("{} is there already: replace it with --force, it will be kept", .0.display())]
    Exists(PathBuf),
    /// The operating system refused access.
    #[error("{} cannot be read or written", .file.display())]
    Io {
        /// The file that could not be read or written.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The backup could not be read, or its copy could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}
