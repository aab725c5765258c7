//! Catalogues as data: lists in, pages, routes and reports out.

mod building;
mod paging;
mod viewing;

use super::*;
use serde_json::json;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// A valid tool with this name.
fn tool(name: &str) -> String {
    json!({"name": name, "description": "d", "inputSchema": {"type": "object"}}).to_string()
}

fn lists(server: &str, tools: Vec<String>) -> ServerLists {
    ServerLists { server: server.into(), tools, ..ServerLists::default() }
}

fn server(name: &str, tools: &[&str]) -> Arc<PreparedServer> {
    let tools = tools.iter().map(|name| tool(name)).collect();
    Arc::new(PreparedServer::new(lists(name, tools)))
}

fn built_ins(names: &[&str]) -> BuiltIns {
    let tools = names.iter().map(|name| BuiltIn { key: (*name).into(), json: tool(name).into() });
    BuiltIns { tools: tools.collect(), ..BuiltIns::default() }
}

fn plain(built_ins: &BuiltIns, servers: &[Arc<PreparedServer>]) -> Catalogue {
    Catalogue::build(built_ins, servers, &ViewFilter::plain())
}

fn keys(catalogue: &Catalogue, kind: ListKind) -> Vec<String> {
    catalogue.list(kind).entries().map(|(key, _)| key.to_owned()).collect()
}

fn size(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn route<'a>(catalogue: &'a Catalogue, name: &str) -> &'a ToolRoute {
    match catalogue.tool(name) {
        Some(ToolTarget::Upstream(route)) => route,
        other => panic!("{name} leads to {other:?}"),
    }
}
