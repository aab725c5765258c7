//! What a transport hosts: a service, its name and limits, and what all connections share.
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
    /// Who answers what is not MCP, if anybody does.
    other_methods: OnceLock<Arc<dyn OtherMethods>>,
}

/// Why a server cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A kit is not fit to be served.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// The key that seals request states cannot be made.
    #[error(transparent)]
    Random(#[from] NoRandomness),
}

/// How capabilities are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wording {
    /// Switches that are off are left out.
    Terse,
    /// Every switch is written, on or off.
    Explicit,
}

/// Collects what a server is made of.
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
    /// Replaces the name and version by a full description of this implementation.
    pub fn implementation(mut self, implementation: Implementation) -> Self {
        self.implementation = implementation;
        self
    }

    /// Tells a model how to use this server.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Replaces the default limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Writes `listChanged: false` and the like, although leaving them out means the same.
    pub fn explicit_capabilities(mut self) -> Self {
        self.wording = Wording::Explicit;
        self
    }

    /// How much of the legacy handshake clients may leave out; nothing unless this says so.
    pub fn handshake(mut self, rules: HandshakeRules) -> Self {
        self.handshake = rules;
        self
    }

    /// Which calls have progress; those whose caller asked for it unless this says so.
    pub fn progress(mut self, rule: ProgressRule) -> Self {
        self.progress = rule;
        self
    }

    /// What events of resumable streams are called.
    pub fn event_ids(mut self, form: EventIdForm) -> Self {
        self.event_ids = form;
        self
    }

    /// When clients may send requests that are not MCP's; at any time unless this says so.
    pub fn other_methods_access(mut self, access: OtherMethodsAccess) -> Self {
        self.other_access = access;
        self
    }

    /// A key that other instances share, so that a retry may reach any of them.
    pub fn state_key(mut self, key: SealKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Counts this server's clients together with those of other servers.
    pub fn client_quotas(mut self, quotas: ClientQuotas) -> Self {
        self.quotas = Some(quotas);
        self
    }

    /// Adds tools, resources and prompts.
    pub fn kit(mut self, kit: impl IntoKit) -> Self {
        self.kits.push(kit.into_kit());
        self
    }

    /// A server that answers with its kits.
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

    /// A server that answers with a service of another make; changes are published on `hub`.
    pub fn build_with(
        mut self,
        make: impl FnOnce(ChangeHub, Tasks) -> Arc<dyn Service>,
    ) -> Result<Server, BuildError> {
        let parts = Parts::new(self.key.take(), &self.limits)?;
        let service = make(parts.hub.clone(), parts.tasks.clone());
        Ok(self.assemble(service, None, parts))
    }

    /// Builds like [`Self::build_with`] with a service that may fail to be made, and hands back
    /// something else that was made with it.
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

/// What exists before the service is made.
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
    /// Begins a server with a name and a version.
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

    /// The toolbox, where kits come and go, if this server answers with one.
    pub fn toolbox(&self) -> Option<&Arc<Toolbox>> {
        self.0.toolbox.as_ref()
    }

    /// The limits it was built with.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Stores tasks from now on, so that they outlive the process. Call it before the server answers
    /// anyone; only the first store is taken.
    pub fn store_tasks_in(&self, store: Arc<dyn TaskStore>) {
        self.0.tasks.store_in(store);
    }

    /// Hands over requests whose methods are not MCP's. Call it before the server answers anyone; only
    /// the first one is taken.
    pub fn set_other_methods(&self, methods: Arc<dyn OtherMethods>) {
        let _only_once = self.0.other_methods.set(methods);
    }

    /// Begins to stop: listeners get their last message, nothing new is taken.
    pub fn stop(&self) {
        self.0.stopping.cancel();
    }

    /// The token that [`Self::stop`] cancels.
    pub(crate) fn stop_token(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// Waits until [`Self::stop`] was called.
    pub async fn stopping(&self) {
        self.0.stopping.cancelled().await;
    }

    /// Stops all tasks. The last thing before the end.
    pub async fn shut_down(&self) {
        self.stop();
        self.0.tasks.shut_down().await;
    }

    pub(crate) fn service(&self) -> &Arc<dyn Service> {
        &self.0.service
    }

    /// Whether a request of this method is handed over: MCP's own methods never are, nor are names
    /// like them, with a slash.
    pub fn answers_other(&self, method: &MethodName) -> bool {
        match method {
            MethodName::Known(_) => false,
            MethodName::Other(name) => self.other_methods().is_some() && !name.contains('/'),
        }
    }

    pub(crate) fn other_methods(&self) -> Option<&Arc<dyn OtherMethods>> {
        self.0.other_methods.get()
    }

    /// What a program calls the service through on behalf of a client, within the same quotas and
    /// limits as the client's own calls.
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

    /// Which calls have progress notifications.
    pub fn progress(&self) -> ProgressRule {
        self.0.progress
    }

    /// What events of resumable streams are called.
    pub fn event_ids(&self) -> EventIdForm {
        self.0.event_ids
    }

    /// When clients may send requests that are not MCP's.
    pub fn other_methods_access(&self) -> OtherMethodsAccess {
        self.0.other_access
    }

    pub(crate) fn implementation(&self, revision: Revision) -> String {
        downgrade_implementation(&self.0.implementation, revision)
    }

    /// What the service can do, as one revision knows it.
    pub(crate) fn capabilities(&self, able: &ServerCapabilities, revision: Revision) -> String {
        let text = serde_json::to_string(able).unwrap_or_default();
        let text = downgrade_capabilities(&text, revision);
        match self.0.wording {
            Wording::Terse => text,
            Wording::Explicit => spelled_out(&text).unwrap_or(text),
        }
    }

    /// `_meta` of every modern result: who we are.
    pub(crate) fn modern_meta(&self) -> &str {
        &self.0.modern_meta
    }

    /// Counts a request as in flight, unless its client has its share already.
    pub(crate) fn enter(&self, method: Method, who: ShareKey) -> Option<Share> {
        self.0.quotas.of(method).take(who)
    }

    /// The quota of resource subscriptions.
    pub(crate) fn subscriptions(&self) -> &Arc<Shares> {
        &self.0.quotas.subscriptions
    }
}

/// Capabilities with every switch in them.
fn spelled_out(text: &str) -> Option<String> {
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
