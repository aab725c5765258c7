//! Opens the service `tasks` as the settings say. Called by the registry.
//!
//! Tasks of which nobody says on which list they are go on the list of the project that Hobnob was
//! started in.

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
        // Personal data is welcome in a task (whom to write to), credentials are not.
        SecretsChoice::Block | SecretsChoice::Redact => {
            tasks.refusing(Scanner::new(ScanScope::secrets()))
        }
        SecretsChoice::Off => tasks,
    }))
}
