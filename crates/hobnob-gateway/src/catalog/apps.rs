//! Tools and the user interfaces of servers (MCP Apps): which tools are for those alone, and which
//! tool one of them calls by the server's own name.

use super::entry::ToolTarget;
use super::snapshot::Catalogue;
use hobnob_mcp_types::apps::ToolAudience;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The public names of the tools that are for user interfaces alone.
pub(super) fn app_tools(targets: &HashMap<Arc<str>, ToolTarget>) -> HashSet<Arc<str>> {
    let for_apps = targets.iter().filter(|(_, target)| match target {
        ToolTarget::Upstream(route) => route.audience == ToolAudience::Apps,
        ToolTarget::BuiltIn(_) => false,
    });
    for_apps.map(|(public, _)| Arc::clone(public)).collect()
}

/// The tool that a server calls by this name and that its user interfaces may call, with its public
/// name; `None` if there is none, or if several servers have one.
pub(crate) fn tool_of_app<'a>(
    catalogue: &'a Catalogue,
    original: &str,
) -> Option<(&'a Arc<str>, &'a ToolTarget)> {
    let mut named = catalogue.tool_targets.iter().filter(|(_, target)| match target {
        ToolTarget::Upstream(route) => {
            *route.original == *original && route.audience != ToolAudience::Models
        }
        ToolTarget::BuiltIn(_) => false,
    });
    let only = named.next()?;
    named.next().is_none().then_some(only)
}
