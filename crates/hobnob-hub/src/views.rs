//! Views and the servers that show them: the first view opens when Hobnob starts, those of profiles
//! with their first request.
//!
//! `compose` makes one `ViewOpener`; each [`ProfileServer`] holds it and opens itself at most once,
//! however many requests wait. Errors in a profile's file are found at the start.

use crate::presentation::presentation;
use crate::services::{
    GatewayTools, ServiceInterest, Services, ViewSubscriber, ViewSubscribers, profile_services,
};
use anyhow::Context as _;
use hobnob_config::{
    NativeCallAccess, Places, Profile, ProfileError, ProfileEventIds, ProfileHandshake,
    ProfileName, ProfileProgress, SHIPPED, list_profiles, load_profile,
};
use hobnob_gateway::nearest::did_you_mean;
use hobnob_gateway::{EverydayTools, Gateway, ViewOptions};
use hobnob_mcp_engine::{
    BoxFuture, ChangeHub, HandshakeRules, InterestSink, Limits, MessageTap, Service,
};
use hobnob_mcp_http::OpenServer;
use hobnob_mcp_server::{
    ClientQuotas, EventIdForm, OtherMethodsAccess, ProgressRule, Server, ServerBuilder,
};
use hobnob_rpc::{GatewayMethods, NativeRpc, RpcLimits};
use hobnob_services::{
    BuiltInService, ListedOwner, Presentation, ProjectFrom, ServiceVisibility, ViewTools,
};
use std::fmt;
use std::sync::Arc;
use tokio::sync::OnceCell;

/// The parts that every view is opened with.
pub(crate) struct ViewOpener {
    pub(crate) gateway: Arc<Gateway>,
    pub(crate) services: Services,
    pub(crate) everyday: EverydayTools,
    pub(crate) subscribers: Arc<ViewSubscribers>,
    /// Where a client's project is looked up, unless its profile says otherwise.
    pub(crate) project_from: ProjectFrom,
    /// The owner whose stored records lists may name.
    pub(crate) listed: ListedOwner,
    pub(crate) limits: Limits,
    /// When native calls are answered, unless a profile is stricter.
    pub(crate) native_calls: NativeCallAccess,
    /// Quotas that the clients of all views share.
    pub(crate) clients: ClientQuotas,
    /// Where the messages of the clients of all views can be observed.
    pub(crate) tap: MessageTap,
}

/// A valid profile, with its presentation of services.
#[derive(Clone)]
pub(crate) struct LoadedProfile {
    name: ProfileName,
    profile: Profile,
    presentation: Presentation,
}

/// The server of one profile, opened at its first request.
pub struct ProfileServer {
    loaded: LoadedProfile,
    opener: Arc<ViewOpener>,
    server: OnceCell<Server>,
}

impl ViewOpener {
    /// Reads a profile and checks everything that its file alone can get wrong.
    pub(crate) fn load(&self, places: &Places, name: ProfileName) -> anyhow::Result<LoadedProfile> {
        let profile = load_profile(places, &name, SHIPPED, &profile_services());
        let profile = profile.map_err(|error| match error {
            ProfileError::Unknown(..) => {
                let names = list_profiles(places, SHIPPED);
                let hint = did_you_mean(name.as_str(), names.iter().map(ProfileName::as_str));
                anyhow::anyhow!("{error}{hint}")
            }
            error => error.into(),
        })?;
        let presentation = presentation(Some(&profile), self.project_from, self.listed)
            .with_context(|| format!("profile `{name}`"))?;
        Ok(LoadedProfile { name, profile, presentation })
    }

    /// Opens the plain view, which shows everything.
    pub(crate) async fn open_plain(&self) -> anyhow::Result<Server> {
        let presentation = presentation(None, self.project_from, self.listed).context("hobnob")?;
        self.open(None, None, presentation).await.context("hobnob")
    }

    /// Opens the view of a profile.
    pub(crate) async fn open_profile(&self, loaded: LoadedProfile) -> anyhow::Result<Server> {
        let LoadedProfile { name, profile, presentation } = loaded;
        let shown = format!("profile `{name}`");
        self.open(Some(name), Some(profile), presentation).await.context(shown)
    }

    async fn open(
        &self,
        name: Option<ProfileName>,
        profile: Option<Profile>,
        presentation: Presentation,
    ) -> anyhow::Result<Server> {
        let announces = profile.as_ref().is_none_or(|profile| profile.server.announce_changes);
        let task_store = self.services.task_store(name.as_ref().map(ProfileName::as_str));
        let mut builder = builder(profile.as_ref(), self.native_calls)
            .limits(self.limits.clone())
            .client_quotas(self.clients.clone())
            .message_tap(self.tap.clone());
        if let Some(key) = self.services.seal_key().await? {
            builder = builder.state_key(key);
        }
        let includes = |service: &&Arc<dyn BuiltInService>| shows(profile.as_ref(), &***service);
        let services: Vec<_> = self.services.all().iter().filter(includes).cloned().collect();
        // Held until the view is a subscriber, so that kits that change meanwhile are replaced.
        let mut subscribers = self.subscribers.lock();
        let kit = |service: &Arc<dyn BuiltInService>| {
            let kit = service.kit(&presentation);
            kit.with_context(|| format!("the service {}", service.name()))
        };
        let kits = services.iter().map(kit).collect::<anyhow::Result<Vec<_>>>()?;
        let shown_as = server_name(profile.as_ref());
        let (server, (service, hub)) = builder.try_build_with(|hub, jobs| {
            // If the profile promises silence, changes go to a hub without listeners.
            let notified = if announces { hub.clone() } else { ChangeHub::default() };
            let everyday = Arc::clone(&self.everyday);
            let service =
                self.gateway.open_view(ViewOptions { name, profile, kits, everyday, hub, jobs })?;
            let opened = (service.clone(), notified);
            Ok::<_, anyhow::Error>((Arc::new(service) as Arc<dyn Service>, opened))
        })?;
        let view = service.view();
        let tools: Arc<dyn ViewTools> =
            Arc::new(GatewayTools::new(service.clone(), server.service_calls()));
        presentation.tools.fill(&tools);
        let methods = Arc::new(GatewayMethods::new(service));
        let rpc = NativeRpc::new(shown_as, methods, RpcLimits::default());
        server.set_other_methods(Arc::new(rpc));
        let interest: Arc<dyn InterestSink> = Arc::new(ServiceInterest::new(&services));
        hub.on_interest(Arc::downgrade(&interest));
        let (_interest, _tools) = (interest, tools);
        let subscriber = ViewSubscriber { view, presentation, hub, services, _interest, _tools };
        subscribers.push(subscriber);
        drop(subscribers);
        if let Some(task_store) = task_store {
            server.store_tasks_in(task_store);
        }
        Ok(server)
    }
}

impl ProfileServer {
    /// A profile that opens at its first request.
    pub(crate) fn new(loaded: LoadedProfile, opener: Arc<ViewOpener>) -> Self {
        Self { loaded, opener, server: OnceCell::new() }
    }

    /// A profile whose view is open already.
    pub(crate) fn opened(loaded: LoadedProfile, opener: Arc<ViewOpener>, server: Server) -> Self {
        Self { loaded, opener, server: OnceCell::new_with(Some(server)) }
    }

    /// The profile's name, which is part of its address.
    pub fn name(&self) -> &ProfileName {
        &self.loaded.name
    }

    /// The server, if the profile was opened.
    pub(crate) fn server(&self) -> Option<&Server> {
        self.server.get()
    }
}

impl OpenServer for ProfileServer {
    fn open(&self) -> BoxFuture<'_, Result<Server, String>> {
        Box::pin(async {
            let open = || self.opener.open_profile(self.loaded.clone());
            let opened = self.server.get_or_try_init(open).await;
            opened.cloned().map_err(|error| {
                tracing::warn!(profile = %self.loaded.name, "not served: {error:#}");
                format!("{error:#}; correct the profile, then start Hobnob again")
            })
        })
    }
}

impl fmt::Debug for ProfileServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProfileServer").field("name", &self.loaded.name).finish_non_exhaustive()
    }
}

/// Whether a view with this profile, or with none, shows a service.
fn shows(profile: Option<&Profile>, service: &dyn BuiltInService) -> bool {
    let name = service.name();
    match service.visibility() {
        ServiceVisibility::Everywhere => profile.is_none_or(|it| it.includes_service(name)),
        ServiceVisibility::WhereNamed => profile.is_some_and(|it| it.names_service(name)),
    }
}

/// A server builder with the identity and rules that the profile sets.
fn builder(profile: Option<&Profile>, native_calls: NativeCallAccess) -> ServerBuilder {
    let identity = profile.map(|profile| &profile.server);
    let version = identity.and_then(|identity| identity.version.as_deref());
    let version = version.unwrap_or(env!("CARGO_PKG_VERSION"));
    let builder = Server::builder(server_name(profile), version)
        .handshake(handshake(profile))
        .progress(progress(profile))
        .event_ids(event_ids(profile))
        .other_methods_access(other_methods_access(profile, native_calls));
    match identity {
        Some(identity) if identity.explicit_capabilities => builder.explicit_capabilities(),
        _ => builder,
    }
}

/// The server's name, for clients and in the provenance of events.
fn server_name(profile: Option<&Profile>) -> String {
    let name = profile.and_then(|profile| profile.server.name.as_deref());
    name.unwrap_or("hobnob").to_owned()
}

fn handshake(profile: Option<&Profile>) -> HandshakeRules {
    match profile.map(|profile| profile.server.handshake) {
        Some(ProfileHandshake::Lenient) => HandshakeRules::Lenient,
        Some(ProfileHandshake::KnownRevisions) => HandshakeRules::KnownRevisions,
        Some(ProfileHandshake::Strict) | None => HandshakeRules::Strict,
    }
}

fn progress(profile: Option<&Profile>) -> ProgressRule {
    match profile.map(|profile| profile.server.progress) {
        Some(ProfileProgress::OnStreams) => ProgressRule::OnStreams,
        Some(ProfileProgress::Requested) | None => ProgressRule::Requested,
    }
}

fn event_ids(profile: Option<&Profile>) -> EventIdForm {
    match profile.map(|profile| profile.server.event_ids) {
        Some(ProfileEventIds::Numbered) => EventIdForm::Numbered,
        Some(ProfileEventIds::StreamAndNumber) | None => EventIdForm::StreamAndNumber,
    }
}

/// The stricter of the profile's access and `at_least`, which the way of serving sets.
fn other_methods_access(
    profile: Option<&Profile>,
    at_least: NativeCallAccess,
) -> OtherMethodsAccess {
    let own = profile.map(|profile| profile.server.native_calls).unwrap_or_default();
    match (own, at_least) {
        (NativeCallAccess::AnyTime, NativeCallAccess::AnyTime) => OtherMethodsAccess::AnyTime,
        (NativeCallAccess::AfterHandshake, _) | (_, NativeCallAccess::AfterHandshake) => {
            OtherMethodsAccess::AfterHandshake
        }
    }
}
