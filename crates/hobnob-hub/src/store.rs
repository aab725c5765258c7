//! The store of this user: the only place that knows the backends.
//!
//! Services, chats, the authorization server and commands open the store here, so that each of them
//! keeps to the quotas of the settings. Commands that maintain the store as a whole, even if it
//! cannot be opened, use its maintenance port.

#[cfg(feature = "postgres")]
mod database;
#[cfg(not(feature = "postgres"))]
#[path = "store/no_database.rs"]
mod database;

#[cfg(test)]
mod tests;

use hobnob_config::{LimitSettings, Places, StoreLocation};
use hobnob_store::maintenance::StoreMaintenance;
use hobnob_store::{Store, StoreOpenError, StoreQuotas};
use hobnob_store_sqlite::{SqliteMaintenance, SqliteStore};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens the store in these folders now, for a caller that needs it. A database is connected to by
/// the first operation, which fails if it cannot be reached.
pub fn open_store(
    places: &Places,
    limits: &LimitSettings,
) -> Result<Arc<dyn Store>, StoreOpenError> {
    match find(places)? {
        StoreLocation::File(file) => {
            Ok(Arc::new(SqliteStore::open(&file)?.with_quotas(quotas(limits))))
        }
        StoreLocation::Database(url) => database::open(&url, quotas(limits)),
    }
}

/// The same for a caller that can wait. A store that cannot be opened now answers with errors and
/// opens as soon as it can; the log says why.
pub(crate) fn open_store_or_retry(places: &Places, limits: &LimitSettings) -> Arc<dyn Store> {
    let (store, missing) = match find(places) {
        Ok(StoreLocation::File(file)) => {
            let (store, missing) = SqliteStore::open_or_retry(&file);
            let store: Arc<dyn Store> = Arc::new(store.with_quotas(quotas(limits)));
            (store, missing)
        }
        Ok(StoreLocation::Database(url)) => match database::open(&url, quotas(limits)) {
            Ok(store) => (store, None),
            Err(error) => (unusable(&error), Some(error)),
        },
        Err(error) => (unusable(&error), Some(error)),
    };
    if let Some(error) = missing {
        let error = anyhow::Error::from(error);
        tracing::warn!(
            "memory, tasks and trees are not available, everything else is: {error:#}; \
             `hobnob doctor` says more, and they come back once the store can be opened"
        );
    }
    store
}

/// The same for a caller that may never need the store: it is opened with the first record that is
/// read or written, and no file is touched before.
pub(crate) fn store_on_demand(places: &Places, limits: &LimitSettings) -> Arc<dyn Store> {
    match find(places) {
        Ok(StoreLocation::File(file)) => {
            Arc::new(SqliteStore::on_demand(&file).with_quotas(quotas(limits)))
        }
        Ok(StoreLocation::Database(url)) => {
            database::open(&url, quotas(limits)).unwrap_or_else(|error| unusable(&error))
        }
        Err(error) => unusable(&error),
    }
}

/// Backup, restore and health of the store in these folders.
pub fn store_maintenance(places: &Places) -> Box<dyn StoreMaintenance> {
    match find(places) {
        Ok(StoreLocation::File(file)) => Box::new(SqliteMaintenance::new(&file)),
        Ok(StoreLocation::Database(url)) => database::maintenance(&url),
        // The other checks say what is wrong with the settings.
        Err(_) => Box::new(SqliteMaintenance::new(&places.store())),
    }
}

/// The file of the store; `None` if the store is in a database.
pub(crate) fn store_file(places: &Places) -> Option<PathBuf> {
    match find(places) {
        Ok(StoreLocation::File(file)) => Some(file),
        Ok(StoreLocation::Database(_)) | Err(_) => None,
    }
}

fn find(places: &Places) -> Result<StoreLocation, StoreOpenError> {
    StoreLocation::find(places).map_err(|problem| StoreOpenError::Database {
        at: "of `[store]`".into(),
        reason: problem.to_string(),
    })
}

/// A store that answers every operation with this error. It never opens a file: records must not go
/// where the settings do not say.
fn unusable(error: &StoreOpenError) -> Arc<dyn Store> {
    let store = SqliteStore::on_demand(Path::new(""));
    store.give_up(&hobnob_store::StoreError::Unavailable(error.to_string()));
    Arc::new(store)
}

fn quotas(limits: &LimitSettings) -> StoreQuotas {
    let number = |limit: Option<NonZeroUsize>| limit.map(|limit| limit.get() as u64);
    StoreQuotas {
        memories: number(limits.memories_per_principal),
        tasks: number(limits.tasks_per_principal),
        tree_nodes: number(limits.tree_nodes_per_principal),
    }
}

/// The size of the file and of its journal, if there is a store.
pub(crate) fn store_bytes(store: &Path) -> Option<u64> {
    let len = |path: &Path| fs::metadata(path).ok().map(|it| it.len());
    let mut journal = store.as_os_str().to_owned();
    journal.push("-wal");
    Some(len(store)?.saturating_add(len(Path::new(&journal)).unwrap_or_default()))
}
