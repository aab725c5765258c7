//! The built-in tools, resources and prompts of a view: a call needs a permit, a list needs none.
//!
//! `View` holds it. A kit may do anything inside a permitted call; the management tools, which reach
//! upstreams, need a separate permit for that.

use super::request::BuiltInRequest;
use hobnob_mcp_engine::{
    BoxFuture, CallError, ChangeHub, ClientId, Notes, Outcome, Service as _, Subscriber,
};
use hobnob_mcp_tasks::Tasks;
use hobnob_mcp_toolbox::{ArgumentErrors, Kit, KitError, Listing, Toolbox};
use hobnob_mcp_types::capabilities::ServerCapabilities;
use hobnob_policy::Permit;
use std::sync::Arc;

/// The kits of one view.
pub struct GuardedToolbox {
    toolbox: Toolbox,
}

impl GuardedToolbox {
    pub(crate) fn new(hub: ChangeHub, tasks: Tasks, errors: ArgumentErrors) -> Self {
        Self { toolbox: Toolbox::new(hub, tasks).with_argument_errors(errors) }
    }

    /// Runs the permitted call.
    pub fn call(
        &self,
        permit: Permit<BuiltInRequest>,
        notes: Notes,
    ) -> BoxFuture<'_, Result<Outcome, CallError>> {
        self.toolbox.call(permit.into_request().call, notes)
    }

    pub(crate) fn add(&self, kit: Kit) -> Result<(), KitError> {
        self.toolbox.add(kit)
    }

    pub(crate) fn replace(&self, kit: Kit) -> Result<(), KitError> {
        self.toolbox.replace(kit)
    }

    /// Whether every kit lets this client watch the resource.
    pub(crate) fn may_subscribe(&self, subscriber: Subscriber<'_>, uri: &str) -> bool {
        self.toolbox.may_subscribe(subscriber, uri)
    }

    /// Has the kits release what they keep for a client that has gone.
    pub(crate) fn client_gone(&self, client: ClientId) {
        self.toolbox.client_gone(client);
    }

    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.toolbox.lists().has_tool(name)
    }

    pub(crate) fn has_resource(&self, uri: &str) -> bool {
        self.toolbox.lists().has_resource(uri)
    }

    /// The own name of the tool that a read of this address counts as.
    pub(crate) fn read_counts_as(&self, uri: &str) -> Option<Arc<str>> {
        self.toolbox.lists().read_counts_as(uri)
    }

    pub(crate) fn tools(&self) -> Vec<Listing> {
        self.toolbox.lists().tools()
    }

    pub(crate) fn resources(&self) -> Vec<Listing> {
        self.toolbox.lists().resources()
    }

    pub(crate) fn templates(&self) -> Vec<Listing> {
        self.toolbox.lists().templates()
    }

    pub(crate) fn prompts(&self) -> Vec<Listing> {
        self.toolbox.lists().prompts()
    }

    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        self.toolbox.offer().capabilities
    }
}

impl std::fmt::Debug for GuardedToolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("GuardedToolbox")
    }
}
