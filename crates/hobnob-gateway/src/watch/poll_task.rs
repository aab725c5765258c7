//! One poll: its request, its owner, and a fresh permit for each turn.
//!
//! `updates` makes one for every watched resource without reports, the tool `SubscribePolling`
//! makes one for a client. Each turn needs a new permit: the tool or its rule may have changed
//! since the poll began.

use crate::calls::contents::permit_contents;
use crate::calls::terms::{arguments_of, check_terms};
use crate::catalog::ListKind;
use crate::permitted::UpstreamRequest;
use crate::rewrite;
use crate::view::View;
use crate::watch::pace::Proof;
use crate::watch::polls::PollOwner;
use hobnob_mcp_engine::{Answers, Call, Caller, TaskOffer};
use hobnob_mcp_toolbox::ToolError;
use hobnob_mcp_types::{Method, Params};
use hobnob_policy::{Authorization, Permit, authorize};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Who is notified of a change that a poll finds.
pub(crate) enum PollAudience {
    /// All clients that watch the resource in a view that shows the server.
    Everyone,
    /// The client that asked for the poll, in this view.
    One(Arc<View>),
}

/// A poll: what to request, for whom, how often, and whom to notify.
pub(crate) struct PollTask {
    pub(crate) server: Box<str>,
    pub(crate) method: Method,
    /// The tool's name or the resource's URI, as the server knows it.
    pub(crate) target: Box<str>,
    /// The owner in whose name the server is asked.
    pub(crate) owner: PollOwner,
    pub(crate) audience: PollAudience,
    /// The parameters in the upstream's own terms.
    pub(crate) params: String,
    /// The public URI under which changes are announced.
    pub(crate) uri: Box<str>,
    pub(crate) interval: Duration,
    /// Whether the resource is known to exist.
    pub(crate) proof: Proof,
    /// Stores the last result, if it is kept.
    pub(crate) last: Option<Arc<Mutex<Option<String>>>>,
    pub(crate) stop: CancellationToken,
}

impl PollTask {
    /// The call of one turn; `None` if its parameters are not an object.
    pub(super) fn call(&self) -> Option<Call> {
        own_call(self.method, self.params.clone(), &self.owner)
    }

    /// The permit for one turn.
    pub(super) fn permit(
        &self,
        view: &View,
        call: Call,
    ) -> Result<Permit<UpstreamRequest>, ToolError> {
        match self.method {
            Method::ToolsCall => permit_polled_tool(view, &self.server, &self.target, call),
            _ => permit_polled_resource(view, &self.server, &self.target, call),
        }
    }
}

/// The permit to call a tool, once. Polling a tool runs it, so its rule must allow that without
/// asking a person.
pub(crate) fn permit_polled_tool(
    view: &View,
    server: &str,
    tool: &str,
    call: Call,
) -> Result<Permit<UpstreamRequest>, ToolError> {
    let snapshot = view.snapshot();
    let Some((public, route)) = snapshot.catalogue.find_tool(server, tool) else {
        return Err(ToolError::failed(format!("server `{server}` offers no tool `{tool}`")));
    };
    check_terms(snapshot.catalogue.terms(ListKind::Tools, public), arguments_of(&call))?;
    let request = UpstreamRequest::tool(public, Arc::clone(route), call);
    let why = match authorize(&snapshot.rules, request) {
        Authorization::Permitted(permit) => return Ok(permit),
        Authorization::NeedsConsent(pending) => pending.verdict().explain(),
        Authorization::Denied(denied) => denied.to_string(),
    };
    Err(ToolError::failed(format!(
        "tool `{tool}` cannot be polled: {why}; polling needs a rule that allows it"
    )))
}

/// The permit to read a server's resource, once.
pub(crate) fn permit_polled_resource(
    view: &View,
    server: &str,
    uri: &str,
    call: Call,
) -> Result<Permit<UpstreamRequest>, ToolError> {
    let value = rewrite::quoted(uri);
    let request = UpstreamRequest::contents(&server.into(), "uri", value, call);
    permit_contents(&view.snapshot(), request).map_err(|(_, error)| error.into())
}

/// A call that the gateway makes in the name of `owner`.
pub(crate) fn own_call(method: Method, params: String, owner: &PollOwner) -> Option<Call> {
    Some(Call {
        method,
        params: Arc::new(Params::from_json(params).ok()?),
        caller: Caller::new(owner.client, owner.principal.clone()),
        answers: Answers::default(),
        task: TaskOffer::No,
        mirrored: None,
    })
}
