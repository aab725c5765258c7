//! Long lists of tools: which clients get search tools in their place, and calls through
//! `call_tool`.
//!
//! The router calls [`direct`] before anything else looks at a tool call. What must
//! stay true: a call through `call_tool` becomes a direct call of the tool it names before any
//! rule, record or form is applied, so there is no second way to a tool.

use crate::catalog::ToolTarget;
use crate::names::searching;
use crate::rewrite;
use crate::view::View;
use crate::view::snapshot::Snapshot;
use hobnob_config::glob_matches;
use hobnob_mcp_engine::{Call, CallError, Caller, TaskOffer};
use hobnob_mcp_types::Params;
use hobnob_mcp_types::apps;
use hobnob_mcp_types::json::field;
use std::borrow::Cow;
use std::sync::Arc;

/// The extension or experimental capability of clients that search long lists themselves.
const SEARCH_CAPABILITY: &str = "hobnob/tool-search";

/// Hobnob's own client name, at a terminal or as a hub in front of this one.
const OWN_CLIENT: &str = "hobnob";

/// A call that names the tool that runs. Only [`direct`] makes one, so no rule,
/// record or form ever sees `call_tool` in place of the tool behind it.
pub(super) struct DirectCall(Call);

impl DirectCall {
    /// The name of the tool, if the call has one.
    pub(super) fn name(&self) -> Result<Cow<'_, str>, CallError> {
        self.0.params.string("name").map_err(CallError::Params)
    }

    /// The call itself, for the code that decides about it.
    pub(super) fn into_call(self) -> Call {
        self.0
    }

    /// The same call, but it cannot become a task.
    pub(super) fn without_task(self) -> Self {
        Self(Call { task: TaskOffer::No, ..self.0 })
    }
}

/// In `_meta` of `tools/list`: a client that searches by itself wants the list for all others.
pub const USUAL_LIST: &str = "hobnob/usual-list";

/// The lists of tools for different clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ToolList {
    /// Every tool except those for searching.
    Whole,
    /// The tools for searching and all everyday tools.
    Usual,
    /// The tools for searching, and those that stay listed beside them.
    Search,
}

impl ToolList {
    /// Which list of tools this caller gets.
    pub(super) fn of(snapshot: &Snapshot, call: &Call) -> Self {
        if !wants_usual_list(call) && searches_itself(snapshot, &call.caller) {
            Self::Whole
        } else if snapshot.is_searched() {
            Self::Search
        } else if snapshot.is_usual() {
            Self::Usual
        } else {
            Self::Whole
        }
    }
}

/// Whether the list for this caller has the tools that are for user interfaces alone: its client
/// renders them, or is a hub that lists tools for clients of its own.
pub(super) fn lists_app_tools(call: &Call) -> bool {
    let is_hub = call.caller.client.as_ref().is_some_and(|client| client.name == OWN_CLIENT);
    renders_apps(&call.caller) || (is_hub && !wants_usual_list(call))
}

/// Whether the caller's client renders the user interfaces of servers (MCP Apps).
pub(super) fn renders_apps(caller: &Caller) -> bool {
    caller.capabilities.extensions.contains(apps::EXTENSION)
}

fn wants_usual_list(call: &Call) -> bool {
    let meta = call.params.get("_meta");
    meta.and_then(|meta| field(meta, USUAL_LIST)) == Some("true")
}

/// Replaces a call of `call_tool` by a direct call of the tool it names. Other calls stay, and
/// so do arguments that describe no call: `call_tool` itself reports what is wrong with them.
pub(super) fn direct(view: &View, call: Call) -> DirectCall {
    let name = call.params.string("name");
    if !name.is_ok_and(|name| is_call_tool(view, &name)) {
        return DirectCall(call);
    }
    let described = rewrite::described_call(call.params.raw());
    match described.and_then(|params| Params::from_json(params).ok()) {
        // The mirrored headers repeat arguments of `call_tool`, not of this tool.
        Some(params) => DirectCall(Call { params: Arc::new(params), mirrored: None, ..call }),
        None => DirectCall(call),
    }
}

/// Whether this view calls the tool `call_tool` by this name.
pub(super) fn is_call_tool(view: &View, name: &str) -> bool {
    // Only a profile can rename it.
    if name != searching::CALL && view.profile.is_none() {
        return false;
    }
    let snapshot = view.snapshot();
    let target = snapshot.catalogue.tool(name);
    matches!(target, Some(ToolTarget::BuiltIn(own)) if **own == *searching::CALL)
}

/// Whether the caller's client finds tools in a long list by itself.
fn searches_itself(snapshot: &Snapshot, caller: &Caller) -> bool {
    let names = &snapshot.settings.gateway.searching_clients;
    let is_known =
        |client: &str| client == OWN_CLIENT || names.iter().any(|name| glob_matches(name, client));
    let capabilities = &caller.capabilities;
    capabilities.extensions.contains(SEARCH_CAPABILITY)
        || capabilities.experimental.contains(SEARCH_CAPABILITY)
        || caller.client.as_ref().is_some_and(|client| is_known(&client.name))
}
