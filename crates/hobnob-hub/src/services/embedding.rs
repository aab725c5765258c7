//! Computes embeddings on demand, for `hobnob embeddings update`. A serving process does that in
//! the background instead.

use super::context::ServiceContext;
use super::memory::open_memory;
use super::registry::check_names;
use hobnob_config::{Places, Settings};
use hobnob_services::memory::{Embedded, MemoryService};

/// Computes the vectors that memories lack now, with every model in use, and reports the progress of
/// each. Waits while another process computes them. `None` without the service, empty without a
/// model.
pub async fn embed_now(
    places: &Places,
    settings: &Settings,
    report: impl FnMut(&[Embedded]),
) -> anyhow::Result<Option<Vec<Embedded>>> {
    check_names(settings)?;
    if settings.services.get(MemoryService::NAME) == Some(&false) {
        return Ok(None);
    }
    let memory = open_memory(&ServiceContext::new(places, settings, None));
    Ok(Some(memory.embed_in_turn(report).await?))
}
