//! Prepares one upstream's lists for the catalogue: filters them, and holds back tools that changed
//! since they were approved.
//!
//! `installed` calls it whenever a server's lists, approvals or settings change.

use crate::approvals::tools::{HeldBackTool, ToolApprovals};
use crate::catalog::{Mirroring, PreparedServer, ServerLists};
use crate::upstream::configured::Configured;
use crate::upstream::lists::Lists;
use hobnob_config::Target;
use hobnob_mcp_types::Era;
use hobnob_mcp_types::json::field;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One upstream's part of the catalogue.
#[derive(Clone)]
pub(crate) struct ServerCatalogue {
    pub(crate) entries: Arc<PreparedServer>,
    /// The tools that clients do not see until a person approves them.
    pub(crate) held_back: Vec<HeldBackTool>,
}

/// Prepares an upstream's lists.
pub(super) fn prepare(
    configured: &Configured,
    lists: &Lists,
    approvals: &mut ToolApprovals,
) -> ServerCatalogue {
    let spec = configured.spec.as_ref().ok().map(|(spec, _)| spec);
    let named = |tool: &str| {
        let raw = field(tool, "name")?;
        serde_json::from_str::<String>(raw).ok()
    };
    let mut tools: Vec<(String, &str)> =
        lists.tools.iter().filter_map(|tool| Some((named(tool)?, &**tool))).collect();
    // Checks all tools, so that a changed filter does not make an old tool look new.
    let mut held_back = approvals.held_back(configured, &tools);
    let permits = |name: &str| spec.is_none_or(|spec| spec.tools.permits(name));
    held_back.retain(|(name, _)| permits(name));
    let held: BTreeSet<&str> = held_back.iter().map(|(held, _)| held.as_str()).collect();
    tools.retain(|(name, _)| permits(name) && !held.contains(name.as_str()));
    let texts = |list: &[Box<str>]| list.iter().map(|text| text.to_string()).collect();
    let over_http = matches!(spec.map(|spec| &spec.target), Some(Target::Url { .. }));
    let modern = lists.about.era() == Some(Era::Modern);
    let lists = ServerLists {
        server: configured.name.as_str().into(),
        mirroring: if over_http && modern { Mirroring::Required } else { Mirroring::Ignored },
        tools: tools.into_iter().map(|(_, text)| text.to_owned()).collect(),
        resources: texts(&lists.resources),
        templates: texts(&lists.templates),
        prompts: texts(&lists.prompts),
    };
    ServerCatalogue { entries: Arc::new(PreparedServer::new(lists)), held_back }
}
