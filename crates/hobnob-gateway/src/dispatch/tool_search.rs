//! Long lists of tools: who gets tools to search with in their place, and what is called through
//! `call_tool`.
//!
//! The router asks before anything else. What must stay true: a call through `call_tool` becomes the
//! direct call of the tool that it names before any rule, record or form is looked at, so there is
//! no second way to a tool.

use crate::catalog::ToolTarget;
use crate::dispatch::service::GatewayService;
use crate::names::searching;
use crate::rewrite;
use crate::view::snapshot::Snapshot;
use hobnob_config::glob_matches;
use hobnob_mcp_engine::{Call, Caller};
use hobnob_mcp_types::{Method, Params};
use std::sync::Arc;

/// What a client declares, among its extensions or experimental capabilities, that searches long
/// lists itself.
const DECLARED: &str = "hobnob/tool-search";

/// What Hobnob calls itself as a client, at a terminal or as a hub in front of this one.
const OWN_CLIENT: &str = "hobnob";

impl GatewayService {
    /// Whether this caller gets tools to search with in place of the whole list.
    pub(crate) fn gets_search_tools(&self, snapshot: &Snapshot, caller: &Caller) -> bool {
        let names = &snapshot.settings.gateway.searching_clients;
        let is_known = |client: &str| {
            client == OWN_CLIENT || names.iter().any(|name| glob_matches(name, client))
        };
        let able = &caller.capabilities;
        let searches_itself = able.extensions.contains(DECLARED)
            || able.experimental.contains(DECLARED)
            || caller.client.as_ref().is_some_and(|client| is_known(&client.name));
        !searches_itself && snapshot.is_searched()
    }

    /// The direct call, where one is made through `call_tool`; every other call as it is. Arguments
    /// that describe no call stay too: `call_tool` itself says what is wrong with them.
    pub(crate) fn direct(&self, call: Call) -> Call {
        if call.method != Method::ToolsCall || !self.is_call_tool(&call.params) {
            return call;
        }
        let described = rewrite::described_call(call.params.raw());
        match described.and_then(|params| Params::from_json(params).ok()) {
            // The headers that came with it repeat arguments of `call_tool`, which has none to repeat.
            Some(params) => Call { params: Arc::new(params), mirrored: None, ..call },
            None => call,
        }
    }

    /// Whether a call names the tool that calls others, under the name that it has here.
    fn is_call_tool(&self, params: &Params) -> bool {
        let Ok(name) = params.string("name") else { return false };
        // Only a profile gives it another name.
        if *name != *searching::CALL && self.view.profile.is_none() {
            return false;
        }
        let snapshot = self.view.snapshot();
        let target = snapshot.catalogue.tool(&name);
        matches!(target, Some(ToolTarget::BuiltIn(own)) if **own == *searching::CALL)
    }
}
