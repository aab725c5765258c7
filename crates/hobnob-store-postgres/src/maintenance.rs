//! The port of maintenance: whether the database can be used, and which program backs it up.
//!
//! The commands `doctor`, `backup` and `restore` use it. A backup is PostgreSQL's own business: its
//! programs know all of it, and its formats outlive ours.

use crate::settings::{BadStoreUrl, StoreUrl};
use crate::store::look;
use hobnob_store::StoreFuture;
use hobnob_store::maintenance::{
    BackupError, BackupObserver, ExistingFile, RestoreError, RestoredStore, StoreContents,
    StoreHealth, StoreMaintenance,
};
use std::path::{Path, PathBuf};

/// Maintains the store in a database.
#[derive(Debug)]
pub struct PostgresMaintenance {
    /// The URL without its password.
    shown: String,
    url: Result<StoreUrl, BadStoreUrl>,
}

impl PostgresMaintenance {
    /// For a store at this URL; `shown` is the URL without its password.
    pub fn new(shown: String, url: Result<StoreUrl, BadStoreUrl>) -> Self {
        Self { shown, url }
    }

    fn schema(&self) -> &str {
        self.url.as_ref().map_or("hobnob", |url| url.schema.as_str())
    }
}

impl StoreMaintenance for PostgresMaintenance {
    fn location(&self) -> String {
        self.shown.clone()
    }

    fn exists(&self) -> bool {
        true
    }

    fn back_up(
        &self,
        _to: PathBuf,
        _existing: ExistingFile,
        _observer: BackupObserver,
    ) -> StoreFuture<'_, Result<StoreContents, BackupError>> {
        let at = self.shown.clone();
        let command = format!("pg_dump --format=custom --schema={} --file=FILE URL", self.schema());
        Box::pin(async move { Err(BackupError::OnServer { at, command }) })
    }

    fn restore(
        &self,
        _from: &Path,
        _existing: ExistingFile,
    ) -> Result<RestoredStore, RestoreError> {
        let command = "pg_restore --clean --if-exists --dbname=URL FILE".to_owned();
        Err(RestoreError::OnServer { at: self.shown.clone(), command })
    }

    fn check(&self) -> StoreHealth {
        let url = match &self.url {
            Ok(url) => url.clone(),
            Err(error) => return StoreHealth::Problems(vec![error.to_string()]),
        };
        // A thread of its own, since the caller may be in a runtime already.
        let checked = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.map_err(|error| error.to_string())?;
            runtime.block_on(look(&url))
        });
        match checked.join() {
            Ok(Ok(0)) => StoreHealth::Absent,
            Ok(Ok(_)) => StoreHealth::Sound,
            Ok(Err(problem)) => StoreHealth::Problems(vec![problem]),
            Err(_) => StoreHealth::Problems(vec!["the check panicked".into()]),
        }
    }
}
