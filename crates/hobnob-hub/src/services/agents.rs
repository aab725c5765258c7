//! Opens the service `claudecode`: sessions with agents. Called by the registry of services.
//!
//! Programs run below our own one, which waits as a runner; nothing is started before the first chat.

use super::context::ServiceContext;
use hobnob_gateway::INSTANCES;
use hobnob_services::BuiltInService;
use hobnob_services::agents::{AgentCatalog, AgentNesting, AgentOptions, AgentService};
use hobnob_services::commands::LaunchOptions;
use std::sync::Arc;

/// The variable that every agent has which Hobnob starts: a Hobnob that it starts in turn runs none.
const INSIDE_AGENT: &str = "HOBNOB_AGENT";

/// Opens the service for the registry of services.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let scratch = context.places.runtime_dir.join("agents");
    let locks = context.places.data_dir.join("agent-locks");
    let usual = AgentOptions::new(scratch, context.own_folders(), locks);
    let launch = LaunchOptions {
        level: context.level(),
        markers: vec![INSTANCES.into(), INSIDE_AGENT.into()],
        ..usual.launch
    };
    let nesting = match std::env::var_os(INSIDE_AGENT) {
        None => AgentNesting::Outside,
        Some(_) => AgentNesting::InsideAgent,
    };
    let options = AgentOptions { launch, nesting, ..usual };
    let catalog = AgentCatalog::built_in()?;
    let sessions = context.store_on_demand();
    Ok(Arc::new(AgentService::new(context.machine(), catalog, sessions, options)))
}
