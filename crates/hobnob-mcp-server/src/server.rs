//! The server that transports host: a service, its name and limits, and all shared state.
//!
//! Programs build one (`server_builder`); sessions and modern calls hold clones of it.

use crate::client_quotas::ClientQuotas;
use crate::identity::ServerIdentity;
use crate::other_methods::{OtherMethods, OtherMethodsAccess, ServiceCalls};
use crate::stream_form::{EventIdForm, ProgressRule};
use hobnob_mcp_engine::{
    ChangeHub, HandshakeRules, Limits, MessageTap, NoRandomness, SealKey, Service,
};
use hobnob_mcp_tasks::{TaskStore, Tasks};
use hobnob_mcp_toolbox::Toolbox;
use hobnob_mcp_types::MethodName;
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

/// A server, shared by all its connections. Cheap to clone.
#[derive(Clone)]
pub struct Server(pub(crate) Arc<Shared>);

pub(crate) struct Shared {
    pub(crate) service: Arc<dyn Service>,
    pub(crate) toolbox: Option<Arc<Toolbox>>,
    pub(crate) parts: Parts,
    pub(crate) limits: Limits,
    pub(crate) handshake: HandshakeRules,
    pub(crate) progress: ProgressRule,
    pub(crate) event_ids: EventIdForm,
    pub(crate) other_access: OtherMethodsAccess,
    pub(crate) identity: ServerIdentity,
    pub(crate) quotas: ClientQuotas,
    /// Where the messages of its clients can be observed.
    pub(crate) tap: MessageTap,
    /// Answers requests of another protocol, if a program has set one.
    pub(crate) other_methods: OnceLock<Arc<dyn OtherMethods>>,
}

/// The parts that exist before the service does, and that sessions and calls use.
pub(crate) struct Parts {
    pub(crate) hub: ChangeHub,
    pub(crate) tasks: Tasks,
    pub(crate) key: SealKey,
    /// The token that [`Server::stop`] cancels.
    pub(crate) stopping: CancellationToken,
}

impl Parts {
    pub(crate) fn new(key: Option<SealKey>, limits: &Limits) -> Result<Self, NoRandomness> {
        let key = match key {
            Some(key) => key,
            None => SealKey::random()?,
        };
        let hub = ChangeHub::default();
        let tasks = Tasks::new(hub.clone(), limits);
        Ok(Self { hub, tasks, key, stopping: CancellationToken::new() })
    }
}

impl Server {
    /// The toolbox, to add and remove kits; `None` if the server answers with another service.
    pub fn toolbox(&self) -> Option<&Arc<Toolbox>> {
        self.0.toolbox.as_ref()
    }

    /// The limits that the server was built with.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Stores tasks from now on, so that they outlive the process. Call it before the server
    /// answers its first request; only the first call has an effect.
    pub fn store_tasks_in(&self, store: Arc<dyn TaskStore>) {
        self.0.parts.tasks.store_in(store);
    }

    /// Sets what answers requests of another protocol. Call it before the server answers its first
    /// request; only the first call has an effect.
    pub fn set_other_methods(&self, methods: Arc<dyn OtherMethods>) {
        let _only_once = self.0.other_methods.set(methods);
    }

    /// Begins to stop: listeners get their last message, and no new requests are accepted.
    pub fn stop(&self) {
        self.0.parts.stopping.cancel();
    }

    /// Waits until [`Self::stop`] is called.
    pub async fn stopping(&self) {
        self.0.parts.stopping.cancelled().await;
    }

    /// Stops the server and all tasks. Call it last.
    pub async fn shut_down(&self) {
        self.stop();
        self.0.parts.tasks.shut_down().await;
    }

    pub(crate) fn service(&self) -> &Arc<dyn Service> {
        &self.0.service
    }

    /// Whether requests of this method go to [`OtherMethods`]. MCP's own methods never do, nor do
    /// unknown names with a slash, which look like them.
    pub fn answers_other(&self, method: &MethodName) -> bool {
        match method {
            MethodName::Known(_) => false,
            MethodName::Other(name) => self.other_methods().is_some() && !name.contains('/'),
        }
    }

    pub(crate) fn other_methods(&self) -> Option<&Arc<dyn OtherMethods>> {
        self.0.other_methods.get()
    }

    /// Access to the service on behalf of a client, within the same quotas and limits as the
    /// client's own calls.
    pub fn service_calls(&self) -> ServiceCalls {
        let (service, quotas) = (Arc::clone(&self.0.service), self.0.quotas.clone());
        ServiceCalls::new(service, quotas, self.0.limits.call)
    }

    /// How much of the legacy handshake clients must do.
    pub fn handshake(&self) -> HandshakeRules {
        self.0.handshake
    }

    /// Which calls send progress notifications.
    pub fn progress(&self) -> ProgressRule {
        self.0.progress
    }

    /// The form of event ids on resumable streams.
    pub fn event_ids(&self) -> EventIdForm {
        self.0.event_ids
    }

    /// When clients may send requests of another protocol.
    pub fn other_methods_access(&self) -> OtherMethodsAccess {
        self.0.other_access
    }

    /// The server's name and the wording of its capabilities.
    pub(crate) fn identity(&self) -> &ServerIdentity {
        &self.0.identity
    }

    /// The quotas that its clients share, with those of servers that were built with the same quotas.
    pub fn quotas(&self) -> &ClientQuotas {
        &self.0.quotas
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.0.parts
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server({})", self.0.identity)
    }
}
