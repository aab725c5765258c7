//! Opens the service `claudecode`: sessions with agents. The registry of services calls it.
//!
//! Programs run below Hobnob's own, which waits as a runner; none starts before the first chat.

use super::context::ServiceContext;
use hobnob_gateway::INSTANCES;
use hobnob_services::BuiltInService;
use hobnob_services::agents::{AgentCatalog, AgentNesting, AgentOptions, AgentService};
use hobnob_services::commands::LaunchOptions;
use std::sync::Arc;

/// Set for every agent that Hobnob starts: a Hobnob inside an agent starts no further agents.
const AGENT_VARIABLE: &str = "HOBNOB_AGENT";

/// Opens the service for the registry of services.
pub(super) fn open(context: &ServiceContext<'_>) -> anyhow::Result<Arc<dyn BuiltInService>> {
    let scratch = context.places.runtime_dir.join("agents");
    let locks = context.places.data_dir.join("agent-locks");
    let usual = AgentOptions::new(scratch, context.own_folders(), locks);
    let launch = LaunchOptions {
        level: context.level(),
        markers: vec![INSTANCES.into(), AGENT_VARIABLE.into()],
        ..usual.launch
    };
    let nesting = match std::env::var_os(AGENT_VARIABLE) {
        None => AgentNesting::Outside,
        Some(_) => AgentNesting::InsideAgent,
    };
    let options = AgentOptions { launch, nesting, ..usual };
    let catalog = AgentCatalog::built_in()?;
    let sessions = context.store_on_demand();
    Ok(Arc::new(AgentService::new(context.machine(), catalog, sessions, options)))
}
