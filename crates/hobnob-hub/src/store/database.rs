//! The store in a PostgreSQL database, for the functions of `store`.
//!
//! What must stay true: nothing here blocks on the network except the checks of maintenance.

use hobnob_config::SecretUrl;
use hobnob_store::maintenance::StoreMaintenance;
use hobnob_store::{Store, StoreOpenError, StoreQuotas};
use hobnob_store_postgres::{PostgresMaintenance, PostgresStore, StoreUrl};
use std::sync::Arc;

/// The store at this URL; its first operation connects to it.
pub(super) fn open(url: &SecretUrl, quotas: StoreQuotas) -> Result<Arc<dyn Store>, StoreOpenError> {
    let parsed = StoreUrl::parse(url.expose())
        .map_err(|error| StoreOpenError::Database { at: url.shown(), reason: error.to_string() })?;
    Ok(Arc::new(PostgresStore::on_demand(parsed).with_quotas(quotas)))
}

/// Health of the store at this URL, and how it is backed up.
pub(super) fn maintenance(url: &SecretUrl) -> Box<dyn StoreMaintenance> {
    Box::new(PostgresMaintenance::new(url.shown(), StoreUrl::parse(url.expose())))
}
