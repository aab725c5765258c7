//! Opens the service `files`. The registry calls it.
//!
//! It runs in every process, and shows nothing until a person enables it and grants a folder.

use super::context::ServiceContext;
use hobnob_services::BuiltInService;
use hobnob_services::files::FileService;
use std::sync::Arc;

/// Opens the service for the registry. Hobnob's own folders are never visible through it.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let places = context.places;
    let own = [&places.config_dir, &places.data_dir, &places.state_dir, &places.runtime_dir];
    Ok(Arc::new(FileService::new(context.machine(), own.map(Clone::clone))))
}
