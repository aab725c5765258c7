//! What can go wrong with the store as such; what an aggregate refuses is the aggregate's own.
//!
//! Every port returns these. A text with the name of a file in it is for logs, not for peers.

use crate::quotas::StoredKind;
use std::io;
use std::path::PathBuf;

/// Why there is no store.
#[derive(Debug, thiserror::Error)]
pub enum StoreOpenError {
    /// A newer Hobnob has written the file.
    #[error(
        "{} was written by a newer Hobnob (format {found}, this one knows {known}): \
         update Hobnob, or use another folder with --data-dir", .file.display()
    )]
    Newer {
        /// The database that was found.
        file: PathBuf,
        /// The format that the file is in.
        found: i64,
        /// The newest format known here.
        known: i64,
    },
    /// The file is not ours, or damaged. It has not been touched.
    #[error(
        "{} cannot be used: {reason}. It was left as it is; put a backup in its place with \
         `hobnob restore --force FILE`, or use another folder with --data-dir", .file.display()
    )]
    Unusable {
        /// The database that was found.
        file: PathBuf,
        /// What is wrong with it, in words.
        reason: String,
    },
    /// The file was not closed in order, and what was written last is not there.
    #[error(
        "{} was not closed in order, and its log {} is missing, with what was written last. \
         It was left as it is; put the log back, or put a backup in its place with \
         `hobnob restore --force FILE`, or go on with what is left with \
         `hobnob restore --force {}`",
        .file.display(), .log.display(), .file.display()
    )]
    LogMissing {
        /// The database without its log.
        file: PathBuf,
        /// Where the log should be.
        log: PathBuf,
    },
    /// The system says no.
    #[error(
        "{} cannot be opened: it and its folder must be there to read and to write; \
         change that, or use another folder with --data-dir", .file.display()
    )]
    Io {
        /// The database, or where it should be.
        file: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// The store itself fails.
    #[error("{} cannot be opened", .file.display())]
    Store {
        /// The database that could not be read.
        file: PathBuf,
        /// What the backend answered when it was opened.
        source: StoreError,
    },
}

/// Why something was not read or written. A write that ends with this was not acknowledged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Other processes did not let go of the file in time.
    #[error("the store is busy: other processes have held it for too long; try again")]
    Busy,
    /// Nothing can be written any more; reading goes on.
    #[error("the disk is full or cannot be written: {0}")]
    Unwritable(String),
    /// The file is damaged.
    #[error("the store is damaged: {0}; see `hobnob doctor`")]
    Damaged(String),
    /// A failure that nobody can act on: a defect, or a system out of resources.
    #[error("the store failed: {0}")]
    Failed(String),
    /// The file could not be opened; it was left as it is. Opening is tried again.
    #[error("the store of memories, tasks and trees cannot be used now: {0}; see `hobnob doctor`")]
    Unavailable(String),
    /// The owner has as many records as they may have.
    #[error("you have {stored} {kind}, and may have {limit}: {}", .kind.remedy())]
    Full {
        /// What there is too much of.
        kind: StoredKind,
        /// How many there are.
        stored: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The process is ending.
    #[error("the store is closed")]
    Closed,
}
