//! How a program configures a server and builds it: from kits, or from any other service.

use crate::client_quotas::ClientQuotas;
use crate::identity::{ServerIdentity, Wording};
use crate::other_methods::OtherMethodsAccess;
use crate::server::{Parts, Server, Shared};
use crate::stream_form::{EventIdForm, ProgressRule};
use hobnob_mcp_engine::{
    ChangeHub, HandshakeRules, Limits, MessageTap, NoRandomness, SealKey, Service,
};
use hobnob_mcp_tasks::Tasks;
use hobnob_mcp_toolbox::{IntoKit, Kit, KitError, Toolbox};
use hobnob_mcp_types::hello::Implementation;
use std::sync::{Arc, OnceLock};

#[cfg(test)]
mod tests;

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
    tap: MessageTap,
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
            tap: MessageTap::default(),
        }
    }

    /// Starts to build a server with this kit and its name, version 1.0.0.
    ///
    /// Add more kits with [`ServerBuilder::kit`].
    pub fn of(kit: impl IntoKit) -> ServerBuilder {
        let kit = kit.into_kit();
        // A kit with mistakes has no name, and its server is never built.
        let name = kit.as_ref().map_or("", Kit::name);
        let mut builder = Self::builder(name, "1.0.0");
        builder.kits.push(kit);
        builder
    }
}

impl ServerBuilder {
    /// Sets the version, for a server that [`Server::of`] began.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.implementation.version = version.into();
        self
    }

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

    /// Lets the owner of this tap observe the messages of all clients while it is open.
    pub fn message_tap(mut self, tap: MessageTap) -> Self {
        self.tap = tap;
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
        Server(Arc::new(Shared {
            service,
            toolbox,
            parts,
            quotas: self.quotas.unwrap_or_else(|| ClientQuotas::new(&self.limits)),
            tap: self.tap,
            limits: self.limits,
            handshake: self.handshake,
            progress: self.progress,
            event_ids: self.event_ids,
            other_access: self.other_access,
            identity: ServerIdentity::new(&self.implementation, self.wording),
            other_methods: OnceLock::new(),
        }))
    }
}
