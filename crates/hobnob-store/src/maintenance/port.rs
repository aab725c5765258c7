//! The port for the care of a whole store: whether there is one, its health, backup and restore.
//!
//! The commands `backup`, `restore` and `doctor` use it. It needs no open store, since a store that
//! cannot be opened is what restoring is for.

use super::backup::{BackupError, BackupObserver, ExistingFile};
use super::contents::StoreContents;
use super::health::StoreHealth;
use super::restore::{RestoreError, RestoredStore};
use crate::StoreFuture;
use std::fmt;
use std::path::{Path, PathBuf};

/// Takes care of one store, whether it can be opened or not.
pub trait StoreMaintenance: fmt::Debug + Send + Sync {
    /// Where the store is, as messages name it.
    fn location(&self) -> String;

    /// Whether there is a store. Whether it can be used is for [`Self::check`] to say.
    fn exists(&self) -> bool;

    /// Writes a backup to a file while everybody goes on reading and writing. It holds what was
    /// acknowledged before it began, is for its owner only, and has its name only once it is whole.
    fn back_up(
        &self,
        to: PathBuf,
        existing: ExistingFile,
        observer: BackupObserver,
    ) -> StoreFuture<'_, Result<StoreContents, BackupError>>;

    /// Puts a copy of a backup in the place of the store. Looks at all of the backup before it touches
    /// the store, and keeps what was there. Blocks.
    fn restore(&self, from: &Path, existing: ExistingFile) -> Result<RestoredStore, RestoreError>;

    /// Looks through the whole store and changes nothing, whether others use it or not. Blocks.
    fn check(&self) -> StoreHealth;
}
