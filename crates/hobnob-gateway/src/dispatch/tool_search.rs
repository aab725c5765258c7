//! Long lists of tools: who gets tools to search with in their place, and what is called through
//! `call_tool`.
//!
//! The router asks before anything else about a call of a tool. What must stay true: a call through `call_tool` becomes the
//! direct call of the tool that it names before any rule, record or form is looked at, so there is
//! no second way to a tool.

use crate::catalog::ToolTarget;
use crate::dispatch::service::GatewayService;
use crate::names::searching;
use crate::rewrite;
use crate::view::snapshot::Snapshot;
use hobnob_config::glob_matches;
use hobnob_mcp_engine::{Call, CallError, Caller, TaskOffer};
use hobnob_mcp_types::Params;
use hobnob_mcp_types::json::field;
use std::borrow::Cow;
use std::sync::Arc;

/// What a client declares, among its extensions or experimental capabilities, that searches long
/// lists itself.
const DECLARED: &str = "hobnob/tool-search";

/// What Hobnob calls itself as a client, at a terminal or as a hub in front of this one.
const OWN_CLIENT: &str = "hobnob";

/// A call that names the tool that runs. Only [`GatewayService::direct`] makes one, so that no rule,
/// record or form can be asked about `call_tool` in place of the tool behind it.
pub(crate) struct DirectCall(Call);

impl DirectCall {
    /// The name of the tool, if there is one.
    pub(crate) fn name(&self) -> Result<Cow<'_, str>, CallError> {
        self.0.params.string("name").map_err(CallError::Params)
    }

    /// The call itself, for those who decide about it.
    pub(crate) fn into_call(self) -> Call {
        self.0
    }

    /// The same, which cannot become a task.
    pub(crate) fn without_task(self) -> Self {
        Self(Call { task: TaskOffer::No, ..self.0 })
    }
}

/// In `_meta` of `tools/list`: a client that searches by itself wants the list that others get.
pub const USUAL_LIST: &str = "hobnob/usual-list";

/// The lists of tools that there are for different clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolList {
    /// Everything but the tools to search with.
    Whole,
    /// The tools to search with, and those of our own tools and of servers that are not rare.
    Usual,
    /// The tools to search with, and what is always listed.
    Search,
}

impl GatewayService {
    /// Which list of tools this caller gets.
    pub(super) fn tool_list(&self, snapshot: &Snapshot, call: &Call) -> ToolList {
        let meta = call.params.get("_meta");
        let as_others = meta.and_then(|meta| field(meta, USUAL_LIST)) == Some("true");
        if !as_others && searches_itself(snapshot, &call.caller) {
            ToolList::Whole
        } else if snapshot.is_searched() {
            ToolList::Search
        } else if snapshot.is_usual() {
            ToolList::Usual
        } else {
            ToolList::Whole
        }
    }

    /// The direct call of a tool, where one is made through `call_tool`; every other call as it is. Arguments
    /// that describe no call stay too: `call_tool` itself says what is wrong with them.
    pub(crate) fn direct(&self, call: Call) -> DirectCall {
        let name = call.params.string("name");
        if !name.is_ok_and(|name| self.is_call_tool(&name)) {
            return DirectCall(call);
        }
        let described = rewrite::described_call(call.params.raw());
        match described.and_then(|params| Params::from_json(params).ok()) {
            // The headers that came with it repeat arguments of `call_tool`, which has none to repeat.
            Some(params) => DirectCall(Call { params: Arc::new(params), mirrored: None, ..call }),
            None => DirectCall(call),
        }
    }

    /// Whether this is the tool that calls others, under the name that it has here.
    pub fn is_call_tool(&self, name: &str) -> bool {
        // Only a profile gives it another name.
        if name != searching::CALL && self.view.profile.is_none() {
            return false;
        }
        let snapshot = self.view.snapshot();
        let target = snapshot.catalogue.tool(name);
        matches!(target, Some(ToolTarget::BuiltIn(own)) if **own == *searching::CALL)
    }
}

/// Whether the caller's program finds tools in a long list by itself.
fn searches_itself(snapshot: &Snapshot, caller: &Caller) -> bool {
    let names = &snapshot.settings.gateway.searching_clients;
    let is_known =
        |client: &str| client == OWN_CLIENT || names.iter().any(|name| glob_matches(name, client));
    let able = &caller.capabilities;
    able.extensions.contains(DECLARED)
        || able.experimental.contains(DECLARED)
        || caller.client.as_ref().is_some_and(|client| is_known(&client.name))
}
