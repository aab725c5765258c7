//! What a backup reports on its way, and why there is none in the end.

use crate::error::{StoreError, StoreOpenError};
use std::io;
use std::path::PathBuf;

/// What to do with a file that has the name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFile {
    /// Leave it, and do nothing.
    Refuse,
    /// Put the new one in its place.
    Replace,
}

/// How far a backup is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupProgress {
    /// Pages that are copied.
    pub copied: u64,
    /// All pages of the store.
    pub pages: u64,
}

/// Is told how far a backup is.
pub type BackupObserver = Box<dyn FnMut(BackupProgress) + Send>;

/// Why there is no backup. What was at its place is still there.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// There is something already.
    #[error("{} is there already: name another file, or replace it with --force", .0.display())]
    Exists(PathBuf),
    /// There is a store, this one or another.
    #[error(
        "{} is a store, or belongs to one: name another file for the backup; \
         `hobnob restore` replaces a store", .0.display()
    )]
    IsStore(PathBuf),
    /// The store is damaged, and its backup would be too.
    #[error("the store is damaged, and a backup of it would be too: {}; see `hobnob doctor`", .0.join("; "))]
    Damaged(Vec<String>),
    /// The file cannot be written.
    #[error("the backup {} cannot be written", .file.display())]
    Io {
        /// The file that was to be written.
        file: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The store could not be opened.
    #[error(transparent)]
    Open(#[from] StoreOpenError),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}
