//! Opens the service `tasks` as the settings say. The registry calls it.
//!
//! A task without a list goes on the list of the project that Hobnob was started in.

use super::context::ServiceContext;
use hobnob_config::SecretsChoice;
use hobnob_secrets::{ScanScope, Scanner};
use hobnob_services::BuiltInService;
use hobnob_services::memory::Project;
use hobnob_services::tasks::TaskService;
use hobnob_store::tasks::ListName;
use std::sync::Arc;

/// Opens the service for the registry.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let project = Project::of(&context.places.project).key;
    let tasks = TaskService::new(context.store(), ListName::new(project.as_str()));
    Ok(Arc::new(match context.settings.memory.secrets {
        // Tasks often need personal data (an address to write to), so only credentials are refused.
        SecretsChoice::Block | SecretsChoice::Redact => {
            tasks.refusing(Scanner::new(ScanScope::secrets()))
        }
        SecretsChoice::Off => tasks,
    }))
}
