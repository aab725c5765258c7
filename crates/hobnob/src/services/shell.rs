//! Opens the service `shell`. Called by the registry of services.
//!
//! Commands run below our own program, which waits as a runner; nothing is started before the first
//! command.

use super::context::ServiceContext;
use hobnob_config::{ConfinementLevel, Places, ShellSettings};
use hobnob_gateway::INSTANCES;
use hobnob_mcp_process::supervisor::Level;
use hobnob_services::BuiltInService;
use hobnob_services::shell::{ShellOptions, ShellService};
use std::sync::Arc;

/// Opens the service for the registry of services.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let Places { config_dir, data_dir, state_dir, runtime_dir, .. } = context.places;
    let hidden = [config_dir, data_dir, state_dir, runtime_dir].map(Clone::clone).to_vec();
    let level = match context.settings.confinement.level {
        ConfinementLevel::Auto => None,
        ConfinementLevel::Namespace => Some(Level::Namespace),
        ConfinementLevel::Subreaper => Some(Level::Subreaper),
        ConfinementLevel::Group => Some(Level::Group),
    };
    let usual = ShellOptions::new(runtime_dir.join("shell"), hidden);
    let ShellSettings { memory, processes, cpu } = context.settings.shell;
    let marker = Some(INSTANCES.into());
    let options = ShellOptions { memory, processes: processes.get(), cpu, level, marker, ..usual };
    Ok(Arc::new(ShellService::new(context.machine(), options)))
}
