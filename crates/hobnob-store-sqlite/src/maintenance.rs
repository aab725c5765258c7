//! The port [`StoreMaintenance`] for one SQLite file.
//!
//! Nothing is decided here; the modules `backup`, `restore` and `check` do the work.

use super::check::check;
use super::restore::restore;
use super::store::SqliteStore;
use hobnob_store::maintenance::{
    BackupError, BackupObserver, ExistingFile, RestoreError, RestoredStore, StoreContents,
    StoreHealth, StoreMaintenance,
};
use hobnob_store::{StoreError, StoreFuture};
use std::path::{Path, PathBuf};

/// Maintains the store in one file. It keeps nothing open.
#[derive(Debug, Clone)]
pub struct SqliteMaintenance {
    file: PathBuf,
}

impl SqliteMaintenance {
    /// For the store in this file, which need not exist yet.
    pub fn new(file: &Path) -> Self {
        Self { file: file.into() }
    }
}

impl StoreMaintenance for SqliteMaintenance {
    fn location(&self) -> String {
        self.file.display().to_string()
    }

    fn exists(&self) -> bool {
        self.file.exists()
    }

    fn back_up(
        &self,
        to: PathBuf,
        existing: ExistingFile,
        observer: BackupObserver,
    ) -> StoreFuture<'_, Result<StoreContents, BackupError>> {
        let file = self.file.clone();
        Box::pin(async move {
            let opened = tokio::task::spawn_blocking(move || SqliteStore::open(&file)).await;
            let panicked = |_| StoreError::Failed("opening the store panicked".into());
            let store = opened.map_err(panicked)??;
            store.backup(&to, existing, observer).await
        })
    }

    fn restore(&self, from: &Path, existing: ExistingFile) -> Result<RestoredStore, RestoreError> {
        restore(from, &self.file, existing)
    }

    fn check(&self) -> StoreHealth {
        check(&self.file)
    }
}
