//! Opens the service `arbor` as the settings say. The registry calls it.

use super::context::ServiceContext;
use hobnob_config::SecretsChoice;
use hobnob_secrets::{ScanScope, Scanner};
use hobnob_services::BuiltInService;
use hobnob_services::arbor::ArborService;
use std::sync::Arc;

/// Opens the service for the registry.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let trees = ArborService::new(context.store());
    Ok(Arc::new(match context.settings.memory.secrets {
        // Conversations are about people, so only credentials are refused.
        SecretsChoice::Block | SecretsChoice::Redact => {
            trees.refusing(Scanner::new(ScanScope::secrets()))
        }
        SecretsChoice::Off => trees,
    }))
}
