//! What a program built without PostgreSQL says about a URL in the settings.

use hobnob_config::SecretUrl;
use hobnob_store::maintenance::StoreMaintenance;
use hobnob_store::{Store, StoreOpenError, StoreQuotas};
use hobnob_store_sqlite::SqliteMaintenance;
use std::path::Path;
use std::sync::Arc;

/// The error that names the missing feature.
pub(super) fn open(
    url: &SecretUrl,
    _quotas: StoreQuotas,
) -> Result<Arc<dyn Store>, StoreOpenError> {
    let reason = "this Hobnob was built without PostgreSQL: build it with the feature `postgres`";
    Err(StoreOpenError::Database { at: url.shown(), reason: reason.into() })
}

/// Maintenance that finds no store at any URL.
pub(super) fn maintenance(_url: &SecretUrl) -> Box<dyn StoreMaintenance> {
    Box::new(SqliteMaintenance::new(Path::new("")))
}
