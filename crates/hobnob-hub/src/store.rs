//! The store of this user: the one place that knows which backend it is.
//!
//! Commands use it to look after the store as a whole, whether it can be opened or not.

use hobnob_config::Places;
use hobnob_store::maintenance::StoreMaintenance;
use hobnob_store_sqlite::SqliteMaintenance;

/// Backup, restore and health of the store in these folders.
pub fn store_maintenance(places: &Places) -> Box<dyn StoreMaintenance> {
    Box::new(SqliteMaintenance::new(&places.store()))
}
