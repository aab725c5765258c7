//! Every built-in service, one row each. This is the only list of them: settings, profiles, rules,
//! scopes, views, notifications and background work all go through it.

use super::context::ServiceContext;
#[cfg(target_os = "linux")]
use super::{agents, files, shell};
use super::{arbor, cone, logs, memory, tasks, windows_registry};
use anyhow::Context as _;
use hobnob_config::Settings;
use hobnob_gateway::nearest::did_you_mean;
use hobnob_services::BuiltInService;
use hobnob_services::echo::EchoService;
use hobnob_services::health::HealthService;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// Opens a service that the settings do not disable.
type OpenService = fn(&ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>>;

/// A service, as it is known without opening it.
#[derive(Clone, Copy)]
pub struct KnownService {
    /// The name in settings and profiles and in front of the names of its tools.
    pub name: &'static str,
    /// Whether its tool `chat` asks a model, which may call every tool.
    pub(super) asks_models: bool,
    /// Its tools in every dialect and with everything granted, without the service's name.
    tools: &'static str,
    /// `None` if the service does not exist on this system.
    open: Option<OpenService>,
}

impl KnownService {
    /// A service that this system lacks, until the row says how to open it.
    const fn new(name: &'static str, tools: &'static str) -> Self {
        Self { name, asks_models: false, tools, open: None }
    }

    /// The service of this name, if there is one on any system.
    pub fn named(name: &str) -> Option<&'static Self> {
        SERVICES.iter().find(|service| service.name == name)
    }

    /// Whether this system has the service, enabled or not.
    pub fn is_here(&self) -> bool {
        self.open.is_some()
    }

    /// Whether a scope such as `memory:call` covers its tools: a model's calls may reach anything.
    pub fn has_scope(&self) -> bool {
        !self.asks_models
    }
}

/// The services of all systems, in the order in which views list their tools.
pub const SERVICES: &[KnownService] = &[
    KnownService {
        open: Some(|_| Ok(Arc::new(HealthService::start()))),
        ..KnownService::new("health", "check")
    },
    KnownService { open: Some(|_| Ok(Arc::new(EchoService))), ..KnownService::new("echo", "echo") },
    KnownService {
        open: Some(memory::open),
        ..KnownService::new(
            "memory",
            "capture consolidate delete enrich export gc get history import intent list namespaces \
             prompt_delete prompt_list prompt_run prompt_save recall restore status sync update",
        )
    },
    KnownService {
        open: Some(tasks::open),
        ..KnownService::new(
            "tasks",
            "add_blocker blockers children claim create delete get history list ready release \
             remove_blocker renew update",
        )
    },
    KnownService {
        open: Some(arbor::open),
        ..KnownService::new(
            "arbor",
            "context_get_handles context_get_path context_list_leaves node_create_external \
             node_create_text node_get node_get_children node_get_parent node_get_path node_search \
             tree_claim tree_create tree_get tree_list tree_list_archived tree_list_scheduled \
             tree_release tree_render tree_skeleton tree_update_metadata",
        )
    },
    KnownService {
        asks_models: true,
        open: Some(cone::open),
        ..KnownService::new("cone", "chat create delete get list registry set_head")
    },
    KnownService {
        #[cfg(target_os = "linux")]
        open: Some(shell::open),
        ..KnownService::new("shell", "execute input list output run start stop")
    },
    KnownService {
        #[cfg(target_os = "linux")]
        open: Some(files::open),
        ..KnownService::new("files", "delete edit list mkdir move read search stat tree write")
    },
    KnownService {
        open: Some(logs::open),
        ..KnownService::new("logs", "list list_logs query tail")
    },
    KnownService {
        open: Some(windows_registry::open),
        ..KnownService::new("registry", "delete list read write")
    },
    KnownService {
        asks_models: true,
        #[cfg(target_os = "linux")]
        open: Some(agents::open),
        ..KnownService::new("claudecode", "chat create delete fork get list")
    },
];

/// The names of all services of this system, enabled or not.
pub fn service_names() -> Vec<&'static str> {
    names_in(SERVICES).collect()
}

/// The names that profiles may use: those of every system.
pub fn profile_services() -> Vec<&'static str> {
    SERVICES.iter().map(|service| service.name).collect()
}

/// Every tool that a service of this system can offer, enabled or not, as views list it without a
/// profile. A test compares the names with the kits.
pub fn built_in_tools() -> Vec<String> {
    let here = SERVICES.iter().filter(|service| service.is_here());
    let tools = here.flat_map(|KnownService { name, tools, .. }| {
        tools.split(' ').map(move |tool| format!("{name}_{tool}"))
    });
    tools.collect()
}

/// Fails if `[services]` names a service that this system does not have.
pub(super) fn check_names(settings: &Settings) -> anyhow::Result<()> {
    check_names_in(SERVICES, settings)
}

/// Opens the services that are not disabled.
pub(super) fn open_all(
    context: &ServiceContext<'_>,
) -> anyhow::Result<Vec<Arc<dyn BuiltInService>>> {
    open_from(SERVICES, context)
}

fn open_from(
    services: &[KnownService],
    context: &ServiceContext<'_>,
) -> anyhow::Result<Vec<Arc<dyn BuiltInService>>> {
    check_names_in(services, context.settings)?;
    let on = |name: &str| context.settings.services.get(name) != Some(&false);
    let here = services.iter().filter_map(|service| Some((service.name, service.open?)));
    here.filter(|(name, _)| on(name))
        .map(|(name, open)| open(context).with_context(|| format!("the service {name}")))
        .collect()
}

fn check_names_in(services: &[KnownService], settings: &Settings) -> anyhow::Result<()> {
    let known: Vec<&str> = names_in(services).collect();
    match settings.services.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => anyhow::bail!(
            "config.toml: [services]: there is no service `{name}`; known: {}{}",
            known.join(", "),
            did_you_mean(name, known.iter().copied())
        ),
    }
}

fn names_in(services: &[KnownService]) -> impl Iterator<Item = &'static str> {
    services.iter().filter(|service| service.is_here()).map(|service| service.name)
}
