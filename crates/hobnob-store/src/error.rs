//! Errors of the store as a whole: it cannot be opened, or a read or write failed.
//!
//! Every port returns [`StoreError`], alone or inside its own error type, which adds what the port
//! refuses. A message that names a file is for logs, not for peers.

use crate::quotas::StoredKind;
use std::io;
use std::path::PathBuf;

/// Why the store could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum StoreOpenError {
    /// A newer Hobnob wrote the file.
    #[error(
        "{} was written by a newer Hobnob (format {found}, this one knows {known}): \
         update Hobnob, or use another folder with --data-dir", .file.display()
    )]
    Newer {
        /// The database file that was found.
        file: PathBuf,
        /// The format version of the file.
        found: i64,
        /// The newest format version that this program supports.
        known: i64,
    },
    /// The file is not a store, or is damaged. It was left untouched.
    #[error(
        "{} cannot be used: {reason}. It was left as it is; put a backup in its place with \
         `hobnob restore --force FILE`, or use another folder with --data-dir", .file.display()
    )]
    Unusable {
        /// The database file that was found.
        file: PathBuf,
        /// What is wrong with it, as text.
        reason: String,
    },
    /// The store was not closed properly and its log is missing, so the last writes are lost.
    #[error(
        "{} was not closed properly, and its log {} is missing, and with it the latest writes. \
         It was left as it is; put the log back, or put a backup in its place with \
         `hobnob restore --force FILE`, or continue without the latest writes with \
         `hobnob restore --force {}`",
        .file.display(), .log.display(), .file.display()
    )]
    LogMissing {
        /// The database file without its log.
        file: PathBuf,
        /// Where the log should be.
        log: PathBuf,
    },
    /// The operating system refused access.
    #[error(
        "{} cannot be opened: it and its folder must be there to read and to write; \
         change that, or use another folder with --data-dir", .file.display()
    )]
    Io {
        /// The database file, or where it should be.
        file: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The database of the store, on a server, cannot be reached or used.
    #[error("the store {at} cannot be used: {reason}")]
    Database {
        /// Where the database is, without user and password.
        at: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The store itself failed.
    #[error("{} cannot be opened", .file.display())]
    Store {
        /// The database file that could not be read.
        file: PathBuf,
        /// The backend's error when opening the file.
        source: StoreError,
    },
}

/// Why a read or a write failed. A write that ends with this was not acknowledged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Other processes held the file's lock until the timeout.
    #[error("the store is busy: another process has kept it locked for too long; try again")]
    Busy,
    /// Writes fail, for example because the disk is full; reads still work.
    #[error("the disk is full or cannot be written: {0}")]
    Unwritable(String),
    /// The database file is damaged.
    #[error("the store is damaged: {0}; see `hobnob doctor`")]
    Damaged(String),
    /// A failure without a remedy for the user: a bug, or a system out of resources.
    #[error("the store failed: {0}")]
    Failed(String),
    /// The file could not be opened and was left untouched. The store retries opening it.
    #[error("the store of memories, tasks and trees cannot be used now: {0}; see `hobnob doctor`")]
    Unavailable(String),
    /// The owner has reached the quota.
    #[error("you have {stored} {kind}, and may have {limit}: {}", .kind.remedy())]
    Full {
        /// The kind of record that reached its quota.
        kind: StoredKind,
        /// How many records the owner has.
        stored: u64,
        /// The owner's quota for this kind.
        limit: u64,
    },
    /// The process is shutting down.
    #[error("the store is closed")]
    Closed,
}
