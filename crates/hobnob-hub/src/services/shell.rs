//! Opens the service `shell`. The registry of services calls it.
//!
//! Commands run below Hobnob's own program, which waits as a runner; none starts before the first
//! command.

use super::context::ServiceContext;
use crate::listeners;
use hobnob_config::ShellSettings;
use hobnob_gateway::INSTANCES;
use hobnob_services::BuiltInService;
use hobnob_services::commands::OwnPorts;
use hobnob_services::shell::{ShellOptions, ShellService};
use std::sync::Arc;

/// Opens the service for the registry of services.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let scratch = context.places.runtime_dir.join("shell");
    let usual = ShellOptions::new(scratch, context.own_folders());
    let ShellSettings { memory, processes, cpu, timeout } = context.settings.shell;
    let (level, marker) = (context.level(), Some(INSTANCES.into()));
    let places = context.places.clone();
    let own_ports = OwnPorts::new(move || listeners::open_ports(&places));
    let processes = processes.get();
    let options =
        ShellOptions { memory, processes, cpu, timeout, level, marker, own_ports, ..usual };
    Ok(Arc::new(ShellService::new(context.machine(), options)))
}
