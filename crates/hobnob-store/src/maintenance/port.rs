//! The port for maintenance of a whole store: whether it exists, its health, backup and restore.
//!
//! The commands `backup`, `restore` and `doctor` use it. It works without an open store, since a
//! store that cannot be opened is what `restore` is for.

use super::backup::{BackupError, BackupObserver, ExistingFile};
use super::contents::StoreContents;
use super::health::StoreHealth;
use super::restore::{RestoreError, RestoredStore};
use crate::StoreFuture;
use std::fmt;
use std::path::{Path, PathBuf};

/// Maintains one store, whether it can be opened or not.
pub trait StoreMaintenance: fmt::Debug + Send + Sync {
    /// The location of the store, as messages show it.
    fn location(&self) -> String;

    /// Whether a store exists; [`Self::check`] tells whether it can be used.
    fn exists(&self) -> bool;

    /// Writes a backup to a file while other processes keep reading and writing. It has every write
    /// acknowledged before it began, only its owner can read it, and it is named last.
    fn back_up(
        &self,
        to: PathBuf,
        existing: ExistingFile,
        observer: BackupObserver,
    ) -> StoreFuture<'_, Result<StoreContents, BackupError>>;

    /// Replaces the store with a copy of a backup. Checks the whole backup before it touches the
    /// store, and keeps the old store under another name. Blocks.
    fn restore(&self, from: &Path, existing: ExistingFile) -> Result<RestoredStore, RestoreError>;

    /// Checks the whole store without changing it, even while other processes use it. Blocks.
    fn check(&self) -> StoreHealth;
}
