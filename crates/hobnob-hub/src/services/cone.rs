//! Opens the service `cone` with the providers of the settings. Called by the registry.
//!
//! Without a provider the service is there all the same, and says what to configure.

use super::context::ServiceContext;
use hobnob_config::{SecretsChoice, Settings};
use hobnob_secrets::{ScanScope, Scanner};
use hobnob_services::BuiltInService;
use hobnob_services::cone::{ConeParts, ConeService};
use std::sync::Arc;

/// Opens the service for the registry.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let models = context.models()?;
    Ok(Arc::new(ConeService::new(ConeParts {
        sessions: context.store(),
        trees: context.store(),
        models,
        default_model: context.settings.models.default.clone(),
        scanner: conversation_scanner(context.settings),
    })))
}

/// What masks credentials in conversations: they have no place there, and none should go to a provider.
pub fn conversation_scanner(settings: &Settings) -> Option<Scanner> {
    match settings.memory.secrets {
        SecretsChoice::Block | SecretsChoice::Redact => Some(Scanner::new(ScanScope::secrets())),
        SecretsChoice::Off => None,
    }
}
