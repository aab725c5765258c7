//! Opens the service `cone` with the providers of the settings. The registry calls it.
//!
//! Without a provider the service is offered anyway, and its errors say what to configure.

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
        models,
        default_model: context.settings.models.default.clone(),
        scanner: conversation_scanner(context.settings),
    })))
}

/// The scanner that masks credentials in conversations, so that none is sent to a provider.
pub fn conversation_scanner(settings: &Settings) -> Option<Scanner> {
    match settings.memory.secrets {
        SecretsChoice::Block | SecretsChoice::Redact => Some(Scanner::new(ScanScope::secrets())),
        SecretsChoice::Off => None,
    }
}
