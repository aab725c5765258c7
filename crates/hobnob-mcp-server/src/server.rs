//! The server that transports host: a service, its name and limits, and all shared state.
//!
//! Programs build one; sessions and modern calls hold clones of it.

use crate::client_quotas::ClientQuotas;
use crate::other_methods::{OtherMethods, OtherMethodsAccess, ServiceCalls};
use crate::stream_form::{EventIdForm, ProgressRule};
use hobnob_mcp_engine::{
    ChangeHub, HandshakeRules, Limits, NoRandomness, SealKey, Service, Share, ShareKey, Shares,
    downgrade_capabilities, downgrade_implementation,
};
use hobnob_mcp_tasks::{TaskStore, Tasks};
use hobnob_mcp_toolbox::{IntoKit, Kit, KitError, Toolbox};
use hobnob_mcp_types::capabilities::ServerCapabilities;
use hobnob_mcp_types::hello::Implementation;
use hobnob_mcp_types::json::object;
use hobnob_mcp_types::{Method, MethodName, Revision, meta};
use serde_json::{Map, Value};
use std::sync::{Arc, OnceLock};
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// A server, shared by all its connections. Cheap to clone.
#[derive(Clone)]
pub struct Server(Arc<Shared>);

struct Shared {
    service: Arc<dyn Service>,
    toolbox: Option<Arc<Toolbox>>,
    hub: ChangeHub,
    tasks: Tasks,
    key: SealKey,
    limits: Limits,
    wording: Wording,
    handshake: HandshakeRules,
    progress: ProgressRule,
    event_ids: EventIdForm,
    other_access: OtherMethodsAccess,
    implementation: String,
    modern_meta: String,
    quotas: ClientQuotas,
    stopping: CancellationToken,
    /// Answers requests of another protocol, if a program has set one.
    other_methods: OnceLock<Arc<dyn OtherMethods>>,
}

/// Why a server cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A kit is invalid.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// The key that seals request states could not be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// How capabilities are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wording {
    /// Flags that are `false` are left out.
    Terse,
    /// Every flag is written.
    Explicit,
}

/// Configures a [`Server`] and builds it.
#[derive(Debug)]
pub struct ServerBuilder {
    implementation: Implementation,
    instructions: Option<String>,
    limits: Limits,
    wording: Wording,
    handshake: HandshakeRules,
    progress: ProgressRule,
    event_ids: EventIdForm,
    other_access: OtherMethodsAccess,
    key: Option<SealKey>,
    kits: Vec<Result<Kit, KitError>>,
    quotas: Option<ClientQuotas>,
}

impl ServerBuilder {
    /// Replaces the name and version with a full description of this implementation.
    pub fn implementation(mut self, implementation: Implementation) -> Self {
        self.implementation = implementation;
        self
    }

    /// Sets a text that tells a model how to use this server.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Replaces the default limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Writes flags such as `listChanged: false`, although leaving them out means the same.
    pub fn explicit_capabilities(mut self) -> Self {
        self.wording = Wording::Explicit;
        self
    }

    /// Sets how much of the legacy handshake clients may leave out; by default nothing.
    pub fn handshake(mut self, rules: HandshakeRules) -> Self {
        self.handshake = rules;
        self
    }

    /// Sets which calls send progress; by default those whose caller asked for it.
    pub fn progress(mut self, rule: ProgressRule) -> Self {
        self.progress = rule;
        self
    }

    /// Sets the form of event ids on resumable streams.
    pub fn event_ids(mut self, form: EventIdForm) -> Self {
        self.event_ids = form;
        self
    }

    /// Sets when clients may send requests of another protocol; by default at any time.
    pub fn other_methods_access(mut self, access: OtherMethodsAccess) -> Self {
        self.other_access = access;
        self
    }

    /// Sets a key that other instances share, so that a retry may reach any of them.
    pub fn state_key(mut self, key: SealKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Shares quotas with other servers, which then count their clients together.
    pub fn client_quotas(mut self, quotas: ClientQuotas) -> Self {
        self.quotas = Some(quotas);
        self
    }

    /// Adds tools, resources and prompts.
    pub fn kit(mut self, kit: impl IntoKit) -> Self {
        self.kits.push(kit.into_kit());
        self
    }

    /// Builds a server that answers with its kits.
    pub fn build(mut self) -> Result<Server, BuildError> {
        let parts = Parts::new(self.key.take(), &self.limits)?;
        let mut toolbox =
            Toolbox::new(parts.hub.clone(), parts.tasks.clone()).with_page(self.limits.page);
        if let Some(text) = &self.instructions {
            toolbox = toolbox.with_instructions(text.clone());
        }
        let toolbox = Arc::new(toolbox);
        toolbox.add_all(std::mem::take(&mut self.kits))?;
        let service: Arc<dyn Service> = Arc::clone(&toolbox) as _;
        Ok(self.assemble(service, Some(toolbox), parts))
    }

    /// Builds a server that answers with any service, which publishes its changes on the hub.
    pub fn build_with(
        mut self,
        make: impl FnOnce(ChangeHub, Tasks) -> Arc<dyn Service>,
    ) -> Result<Server, BuildError> {
        let parts = Parts::new(self.key.take(), &self.limits)?;
        let service = make(parts.hub.clone(), parts.tasks.clone());
        Ok(self.assemble(service, None, parts))
    }

    /// Like [`Self::build_with`], for a service that may fail to be made. Also returns the other
    /// value that `make` returned.
    pub fn try_build_with<T, E: From<BuildError>>(
        mut self,
        make: impl FnOnce(ChangeHub, Tasks) -> Result<(Arc<dyn Service>, T), E>,
    ) -> Result<(Server, T), E> {
        let parts = Parts::new(self.key.take(), &self.limits).map_err(BuildError::from)?;
        let (service, made) = make(parts.hub.clone(), parts.tasks.clone())?;
        Ok((self.assemble(service, None, parts), made))
    }

    fn assemble(
        self,
        service: Arc<dyn Service>,
        toolbox: Option<Arc<Toolbox>>,
        parts: Parts,
    ) -> Server {
        let implementation = serde_json::to_string(&self.implementation).unwrap_or_default();
        let newest = downgrade_implementation(&implementation, Revision::NEWEST);
        let modern_meta = object(|object| {
            object.raw(meta::SERVER_INFO, &newest);
        });
        Server(Arc::new(Shared {
            service,
            toolbox,
            hub: parts.hub,
            tasks: parts.tasks,
            key: parts.key,
            quotas: self.quotas.unwrap_or_else(|| ClientQuotas::new(&self.limits)),
            limits: self.limits,
            wording: self.wording,
            handshake: self.handshake,
            progress: self.progress,
            event_ids: self.event_ids,
            other_access: self.other_access,
            implementation,
            modern_meta,
            stopping: CancellationToken::new(),
            other_methods: OnceLock::new(),
        }))
    }
}

/// The parts that a service needs to be made.
struct Parts {
    hub: ChangeHub,
    tasks: Tasks,
    key: SealKey,
}

impl Parts {
    fn new(key: Option<SealKey>, limits: &Limits) -> Result<Self, NoRandomness> {
        let key = match key {
            Some(key) => key,
            None => SealKey::random()?,
        };
        let hub = ChangeHub::default();
        let tasks = Tasks::new(hub.clone(), limits);
        Ok(Self { hub, tasks, key })
    }
}

impl Server {
    /// Starts to build a server with this name and version.
    pub fn builder(name: impl Into<String>, version: impl Into<String>) -> ServerBuilder {
        ServerBuilder {
            implementation: Implementation::new(name, version),
            instructions: None,
            limits: Limits::default(),
            wording: Wording::Terse,
            handshake: HandshakeRules::Strict,
            progress: ProgressRule::Requested,
            event_ids: EventIdForm::StreamAndNumber,
            other_access: OtherMethodsAccess::AnyTime,
            key: None,
            kits: Vec::new(),
            quotas: None,
        }
    }

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
        self.0.tasks.store_in(store);
    }

    /// Sets what answers requests of another protocol. Call it before the server answers its first
    /// request; only the first call has an effect.
    pub fn set_other_methods(&self, methods: Arc<dyn OtherMethods>) {
        let _only_once = self.0.other_methods.set(methods);
    }

    /// Begins to stop: listeners get their last message, and no new requests are accepted.
    pub fn stop(&self) {
        self.0.stopping.cancel();
    }

    /// The token that [`Self::stop`] cancels.
    pub(crate) fn stop_token(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// Waits until [`Self::stop`] is called.
    pub async fn stopping(&self) {
        self.0.stopping.cancelled().await;
    }

    /// Stops the server and all tasks. Call it last.
    pub async fn shut_down(&self) {
        self.stop();
        self.0.tasks.shut_down().await;
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

    pub(crate) fn hub(&self) -> &ChangeHub {
        &self.0.hub
    }

    pub(crate) fn tasks(&self) -> &Tasks {
        &self.0.tasks
    }

    pub(crate) fn key(&self) -> &SealKey {
        &self.0.key
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

    pub(crate) fn implementation(&self, revision: Revision) -> String {
        downgrade_implementation(&self.0.implementation, revision)
    }

    /// The service's capabilities as text, in the form of one revision.
    pub(crate) fn capabilities(&self, able: &ServerCapabilities, revision: Revision) -> String {
        let text = serde_json::to_string(able).unwrap_or_default();
        let text = downgrade_capabilities(&text, revision);
        match self.0.wording {
            Wording::Terse => text,
            Wording::Explicit => explicit_capabilities_text(&text).unwrap_or(text),
        }
    }

    /// The `_meta` of every modern result: it names this server.
    pub(crate) fn modern_meta(&self) -> &str {
        &self.0.modern_meta
    }

    /// Counts a request as in flight; `None` if its client has used up its share.
    pub(crate) fn enter(&self, method: Method, who: ShareKey) -> Option<Share> {
        self.0.quotas.of(method).take(who)
    }

    /// The quota of resource subscriptions.
    pub(crate) fn subscriptions(&self) -> &Arc<Shares> {
        &self.0.quotas.subscriptions
    }
}

/// Adds the missing flags to the capabilities.
fn explicit_capabilities_text(text: &str) -> Option<String> {
    let mut able: Map<String, Value> = serde_json::from_str(text).ok()?;
    for (key, switches) in [
        ("tools", &["listChanged"][..]),
        ("resources", &["subscribe", "listChanged"]),
        ("prompts", &["listChanged"]),
    ] {
        if let Some(Value::Object(declared)) = able.get_mut(key) {
            for switch in switches {
                declared.entry(*switch).or_insert(Value::Bool(false));
            }
        }
    }
    serde_json::to_string(&able).ok()
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Server({})", self.0.implementation)
    }
}
