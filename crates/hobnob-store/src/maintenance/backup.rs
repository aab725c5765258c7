//! The progress and the errors of a backup.

use crate::error::{StoreError, StoreOpenError};
use std::io;
use std::path::PathBuf;

/// What to do if the target file exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// Leave the file, and fail.
    Refuse,
    /// Replace the file by the new one.
    Replace,
}

/// How far a backup has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupProgress {
    /// Pages copied so far.
    pub copied: u64,
    /// All pages of the store.
    pub pages: u64,
}

/// A callback that receives the progress of a backup.
pub type BackupObserver = Box<dyn FnMut(BackupProgress) + Send>;

/// Why a backup failed. A file at the target path was left untouched.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The target file already exists.
    #[error("{} is there already: name another file, or replace it with --force", .0.display())]
    Exists(PathBuf),
    /// The store is in a database on a server, whose own program backs it up.
    #[error(
        "the store is on a server, {at}: save it with `{command}`, see the page \"Teams\" of the book"
    )]
    OnServer {
        /// The database without its password.
        at: String,
        /// The command, with capital letters for what the user fills in.
        command: String,
    },
    /// The target is a store, this one or another.
    #[error(
        "{} is a store, or belongs to one: name another file for the backup; \
         `hobnob restore` replaces a store", .0.display()
    )]
    IsStore(PathBuf),
    /// The store is damaged, so its backup would be too.
    #[error("the store is damaged, and a backup of it would be too: {}; see `hobnob doctor`", .0.join("; "))]
    Damaged(Vec<String>),
    /// The backup file cannot be written.
    #[error("the backup {} cannot be written", .file.display())]
    Io {
        /// The path of the backup file.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The store could not be opened.
    #[error(transparent)]
    Open(#[from] StoreOpenError),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
