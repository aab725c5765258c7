//! The store of this user: the only place that knows the backend.
//!
//! Services, chats, the authorization server and commands open the store here, so that each of them
//! keeps to the quotas of the settings. Commands that maintain the store as a whole, even if it
//! cannot be opened, use its maintenance port.

#[cfg(test)]
mod tests;

use hobnob_config::{LimitSettings, Places};
use hobnob_store::maintenance::StoreMaintenance;
use hobnob_store::{Store, StoreOpenError, StoreQuotas};
use hobnob_store_sqlite::{SqliteMaintenance, SqliteStore};
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

/// Opens the store in these folders now, for a caller that needs it.
pub fn open_store(
    places: &Places,
    limits: &LimitSettings,
) -> Result<Arc<dyn Store>, StoreOpenError> {
    Ok(limited(SqliteStore::open(&places.store())?, limits))
}

/// The same for a caller that can wait. A store that cannot be opened now answers with errors and
/// opens as soon as it can; the log says why.
pub(crate) fn open_store_or_retry(places: &Places, limits: &LimitSettings) -> Arc<dyn Store> {
    let (store, missing) = SqliteStore::open_or_retry(&places.store());
    if let Some(error) = missing {
        let error = anyhow::Error::from(error);
        tracing::warn!(
            "memory, tasks and trees are not available, everything else is: {error:#}; \
             `hobnob doctor` says more, and they come back once the store can be opened"
        );
    }
    limited(store, limits)
}

/// The same for a caller that may never need the store: it is opened with the first record that is
/// read or written, and no file is touched before.
pub(crate) fn store_on_demand(places: &Places, limits: &LimitSettings) -> Arc<dyn Store> {
    limited(SqliteStore::on_demand(&places.store()), limits)
}

/// Backup, restore and health of the store in these folders.
pub fn store_maintenance(places: &Places) -> Box<dyn StoreMaintenance> {
    Box::new(SqliteMaintenance::new(&places.store()))
}

fn limited(store: SqliteStore, limits: &LimitSettings) -> Arc<dyn Store> {
    let number = |limit: Option<NonZeroUsize>| limit.map(|limit| limit.get() as u64);
    Arc::new(store.with_quotas(StoreQuotas {
        memories: number(limits.memories_per_principal),
        tasks: number(limits.tasks_per_principal),
        tree_nodes: number(limits.tree_nodes_per_principal),
    }))
}

/// The size of the file and of its journal, if there is a store.
pub(crate) fn store_bytes(store: &Path) -> Option<u64> {
    let len = |path: &Path| fs::metadata(path).ok().map(|it| it.len());
    let mut journal = store.as_os_str().to_owned();
    journal.push("-wal");
    Some(len(store)?.saturating_add(len(Path::new(&journal)).unwrap_or_default()))
}
