//! Every built-in service, one line each. This is the only list of them: settings, profiles, views,
//! notifications and background work all go through it.

use super::context::ServiceContext;
#[cfg(target_os = "linux")]
use super::{agents, files, logs, shell};
use super::{arbor, cone, memory, tasks, windows_registry};
use anyhow::Context as _;
use hobnob_config::Settings;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_services::BuiltInService;
#[cfg(target_os = "linux")]
use hobnob_services::agents::AgentService;
use hobnob_services::arbor::ArborService;
use hobnob_services::cone::ConeService;
use hobnob_services::echo::EchoService;
#[cfg(target_os = "linux")]
use hobnob_services::files::FileService;
use hobnob_services::health::HealthService;
#[cfg(target_os = "linux")]
use hobnob_services::logs::LogService;
use hobnob_services::memory::MemoryService;
use hobnob_services::registry::RegistryService;
#[cfg(target_os = "linux")]
use hobnob_services::shell::ShellService;
use hobnob_services::tasks::TaskService;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Opens a service that the settings do not disable.
type OpenService = fn(&ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>>;

/// The services by name, in the order in which views list their tools.
const REGISTRY: &[(&str, OpenService)] = &[
    (HealthService::NAME, |_| Ok(Arc::new(HealthService::start()))),
    (EchoService::NAME, |_| Ok(Arc::new(EchoService))),
    (MemoryService::NAME, memory::open),
    (TaskService::NAME, tasks::open),
    (ArborService::NAME, arbor::open),
    (ConeService::NAME, cone::open),
    #[cfg(target_os = "linux")]
    (ShellService::NAME, shell::open),
    #[cfg(target_os = "linux")]
    (FileService::NAME, files::open),
    #[cfg(target_os = "linux")]
    (LogService::NAME, logs::open),
    (RegistryService::NAME, windows_registry::open),
    #[cfg(target_os = "linux")]
    (AgentService::NAME, agents::open),
];

/// The names of all services, enabled or not.
pub fn service_names() -> Vec<&'static str> {
    REGISTRY.iter().map(|(name, _)| *name).collect()
}

/// Fails if `[services]` names a service that does not exist.
pub(super) fn check_names(settings: &Settings) -> anyhow::Result<()> {
    check_names_in(REGISTRY, settings)
}

/// Opens the services that are not disabled.
pub(super) fn open_all(
    context: &ServiceContext<'_>,
) -> anyhow::Result<Vec<Arc<dyn BuiltInService>>> {
    open_from(REGISTRY, context)
}

fn open_from(
    registry: &[(&str, OpenService)],
    context: &ServiceContext<'_>,
) -> anyhow::Result<Vec<Arc<dyn BuiltInService>>> {
    check_names_in(registry, context.settings)?;
    let on = |name: &str| context.settings.services.get(name) != Some(&false);
    registry
        .iter()
        .filter(|(name, _)| on(name))
        .map(|(name, open)| open(context).with_context(|| format!("the service {name}")))
        .collect()
}

fn check_names_in(registry: &[(&str, OpenService)], settings: &Settings) -> anyhow::Result<()> {
    let known: Vec<&str> = registry.iter().map(|(name, _)| *name).collect();
    match settings.services.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => anyhow::bail!(
            "config.toml: [services]: there is no service `{name}`; known: {}{}",
            known.join(", "),
            did_you_mean(name, known.iter().copied())
        ),
    }
}
