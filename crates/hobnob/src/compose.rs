//! The only wiring: places and settings to services and a gateway, profiles to its views, each
//! view to a server.

use crate::exit::{Code, Ended};
use crate::presentation::presentation;
use crate::services::{KNOWN, Services, StoreNotifier, ViewSubscriber};
use anyhow::Context as _;
use hobnob_config::{
    LimitSettings, Places, Profile, ProfileName, SHIPPED, Servers, Settings, list_profiles,
    load_profile, process_environment,
};
use hobnob_gateway::{
    FirstStarts, Gateway, GatewayOptions, HubIdentity, INSTANCES, Launcher, Reload, SupervisionPolicy,
    ViewOptions,
};
use hobnob_mcp_engine::{ChangeHub, Limits, Service};
use hobnob_mcp_server::{ClientPlaces, Server};
use hobnob_mcp_types::hello::Implementation;
use hobnob_policy::audit::{AuditLog, AuditOptions};
use hobnob_services::ProjectFrom;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A gateway, and the servers that show its views.
pub(crate) struct Composed {
    /// The first view's.
    pub(crate) server: Server,
    /// Those of the profiles, by name; one that is all there is, is the first view too.
    pub(crate) profiles: Vec<(ProfileName, Server)>,
    pub(crate) gateway: Arc<Gateway>,
    news: JoinSet<()>,
    stop: CancellationToken,
    /// What large request bodies may take together, over HTTP.
    pub(crate) body_bytes: u64,
}

/// What differs between one way of running and another.
pub(crate) struct Plan {
    pub(crate) places: Places,
    pub(crate) views: Views,
    pub(crate) first_starts: FirstStarts,
    pub(crate) reload: Reload,
}

/// Which views there are.
pub(crate) enum Views {
    /// Everything as it is.
    Plain,
    /// What this profile shows, and nothing else.
    Only {
        /// Its name.
        profile: String,
        /// Where a client's project is found, unless the profile says otherwise.
        project_from: ProjectFrom,
    },
    /// Everything as it is, and what these profiles show; one that does not hold is an error.
    PlainAnd(Vec<String>),
    /// Everything as it is, and what all profiles show that hold; of the others is warned.
    PlainAndAll,
}

/// Who we say we are, to clients and to servers.
pub(crate) fn implementation() -> Implementation {
    Implementation::new("hobnob", env!("CARGO_PKG_VERSION"))
}

/// Puts everything together. Must run inside a runtime.
pub(crate) async fn compose(plan: Plan) -> anyhow::Result<Composed> {
    let Plan { places, views, first_starts, reload } = plan;
    places.create().context("the folders for settings and state cannot be made")?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    let launcher = launcher(&places, &settings)?;
    let allowed = match reload {
        Reload::Watch => launcher.identity.check_start(),
        // A command may well be typed in a server's environment.
        Reload::OnDemand => launcher.identity.check_depth(),
    };
    allowed.map_err(|why| Ended::new(Code::Failed, why))?;
    let servers = Servers::load(&places, &process_environment);
    for problem in servers.problems() {
        tracing::warn!(%problem, "configuration");
    }
    for problem in servers.misconfigured() {
        tracing::warn!(%problem, "configuration");
    }
    let audit = if settings.audit.enabled {
        let file = places.audit();
        let options = AuditOptions::new(settings.audit.keep, settings.audit.max_bytes.get());
        let opened = AuditLog::open(&file, options);
        let opened =
            opened.with_context(|| format!("the audit log {} cannot be opened", file.display()))?;
        Some(Arc::new(opened))
    } else {
        None
    };
    let services = Services::open(&places, &settings, audit.clone())?;
    let limits = limits(&settings.limits);
    let body_bytes = settings.limits.bodies_total;
    let gateway = Gateway::start(GatewayOptions {
        launcher,
        places: places.clone(),
        settings,
        servers,
        audit,
        page: limits.page,
        first_starts,
        reload,
    });
    let told = services.clone();
    gateway.report_service_problems(move || told.problem().into_iter().collect());
    let project_from = match &views {
        Views::Plain => ProjectFrom::FolderThenRoots,
        Views::Only { project_from, .. } => *project_from,
        // Clients from everywhere: the folder we were started in says little about theirs.
        Views::PlainAnd(_) | Views::PlainAndAll => ProjectFrom::RootsThenFolder,
    };
    let clients = ClientPlaces::new(&limits);
    let subscribers = Vec::new();
    let mut showing = Showing {
        gateway,
        services,
        places,
        project_from,
        subscribers,
        limits,
        clients,
        body_bytes,
    };
    match showing.open(views).await {
        Ok((server, profiles)) => Ok(showing.begin(server, profiles, reload)),
        Err(error) => {
            // The first of several views may have started servers already.
            showing.gateway.shut_down().await;
            Err(error)
        }
    }
}

impl Composed {
    /// Ends the servers' clients, then nobody is told anything any more, then what is behind it.
    pub(crate) async fn shut_down(mut self) {
        self.stop_serving().await;
        self.stop.cancel();
        while self.news.join_next().await.is_some() {}
        self.gateway.shut_down().await;
    }

    /// Takes no more requests and stops all tasks.
    pub(crate) async fn stop_serving(&self) {
        self.server.shut_down().await;
        for (_, server) in &self.profiles {
            server.shut_down().await;
        }
    }
}

/// Views in the making.
struct Showing {
    gateway: Arc<Gateway>,
    services: Services,
    places: Places,
    /// Where a client's project is found, unless its profile says otherwise.
    project_from: ProjectFrom,
    subscribers: Vec<ViewSubscriber>,
    limits: Limits,
    /// What the clients of all views share.
    clients: ClientPlaces,
    body_bytes: u64,
}

impl Showing {
    /// The first server, and those of profiles beside it.
    async fn open(&mut self, views: Views) -> anyhow::Result<(Server, Vec<(ProfileName, Server)>)> {
        let (first, names) = match &views {
            Views::Plain => (None, BTreeSet::new()),
            Views::Only { profile, .. } => {
                (Some(self.profile(ProfileName::parse(profile)?)?), BTreeSet::new())
            }
            Views::PlainAnd(names) => {
                let names = names.iter().map(|name| ProfileName::parse(name));
                (None, names.collect::<Result<_, _>>()?)
            }
            Views::PlainAndAll => {
                (None, list_profiles(&self.places, SHIPPED).into_iter().collect())
            }
        };
        let only = first.as_ref().map(|(name, _)| name.clone());
        let server = self.show(first).await?;
        let mut profiles: Vec<_> = only.map(|name| (name, server.clone())).into_iter().collect();
        for name in names {
            let opened = match self.profile(name.clone()) {
                Ok(profile) => self.show(Some(profile)).await,
                Err(error) => Err(error),
            };
            match opened {
                Ok(server) => profiles.push((name, server)),
                Err(error) if matches!(views, Views::PlainAndAll) => {
                    tracing::warn!(profile = name.as_str(), "not served: {error:#}");
                }
                Err(error) => return Err(error),
            }
        }
        Ok((server, profiles))
    }

    fn profile(&self, name: ProfileName) -> anyhow::Result<(ProfileName, Profile)> {
        let profile = load_profile(&self.places, &name, SHIPPED, KNOWN)?;
        Ok((name, profile))
    }

    /// Opens a view; without a profile it is the plain one.
    async fn show(&mut self, profile: Option<(ProfileName, Profile)>) -> anyhow::Result<Server> {
        let (name, profile) = profile.unzip();
        let shown =
            name.as_ref().map_or_else(|| "hobnob".into(), |name| format!("profile `{name}`"));
        let presentation =
            presentation(profile.as_ref(), self.project_from).with_context(|| shown.clone())?;
        let has = |service: &str| {
            profile.as_ref().is_none_or(|profile| profile.includes_service(service))
        };
        let kits = self.services.kits(&presentation, has).await.with_context(|| shown.clone())?;
        let memory = has("memory");
        let announces = profile.as_ref().is_none_or(|profile| profile.server.announce_changes);
        let keeper = self.services.keeper(name.as_ref().map(ProfileName::as_str));
        let mut builder = builder(profile.as_ref())
            .limits(self.limits.clone())
            .client_places(self.clients.clone());
        if let Some(key) = self.services.seal_key().await? {
            builder = builder.state_key(key);
        }
        let (server, subscriber) = builder.try_build_with(|hub, jobs| {
            // Who was promised silence is told nothing, whatever happens in the store.
            let news = if announces { hub.clone() } else { ChangeHub::default() };
            let view = ViewOptions { name, profile, kits, hub, jobs };
            let service = self.gateway.open_view(view).with_context(|| shown)?;
            let subscriber =
                ViewSubscriber { view: service.view(), presentation, hub: news, memory };
            Ok::<_, anyhow::Error>((Arc::new(service) as Arc<dyn Service>, subscriber))
        })?;
        self.subscribers.push(subscriber);
        if let Some(keeper) = keeper {
            server.store_tasks_in(keeper);
        }
        Ok(server)
    }

    /// Begins to tell everybody what changes. Whoever stays also tends what is stored.
    fn begin(
        self,
        server: Server,
        profiles: Vec<(ProfileName, Server)>,
        reload: Reload,
    ) -> Composed {
        let Self { gateway, services, subscribers, body_bytes, .. } = self;
        let (mut news, stop) = (JoinSet::new(), CancellationToken::new());
        match reload {
            Reload::Watch => drop(news.spawn(services.clone().tend(stop.clone()))),
            Reload::OnDemand => {}
        }
        let notifier = StoreNotifier { services, gateway: Arc::clone(&gateway), subscribers };
        news.spawn(notifier.run(stop.clone()));
        Composed { server, profiles, gateway, news, stop, body_bytes }
    }
}

/// What clients may take, as the settings say.
fn limits(settings: &LimitSettings) -> Limits {
    let usual = Limits::default();
    Limits {
        in_flight_per_client: settings.calls_per_client.get(),
        in_flight_total: settings.calls_total.get(),
        listens_per_client: settings.listens_per_client.get(),
        listens: settings.listens_total.get(),
        subscriptions_per_client: settings.subscriptions_per_client.get(),
        subscriptions_total: settings.subscriptions_total.get(),
        page: settings.page.map_or(usual.page, NonZeroUsize::get),
        ..usual
    }
}

/// A server as a profile wants it to look.
fn builder(profile: Option<&Profile>) -> hobnob_mcp_server::ServerBuilder {
    let identity = profile.map(|profile| &profile.server);
    let text = |text: Option<&String>, usual: &str| text.map_or(usual, String::as_str).to_owned();
    let name = text(identity.and_then(|identity| identity.name.as_ref()), "hobnob");
    let version =
        text(identity.and_then(|identity| identity.version.as_ref()), env!("CARGO_PKG_VERSION"));
    let builder = Server::builder(name, version);
    match identity {
        Some(identity) if identity.explicit_capabilities => builder.explicit_capabilities(),
        _ => builder,
    }
}

/// How servers are started here.
pub(crate) fn launcher(places: &Places, settings: &Settings) -> anyhow::Result<Launcher> {
    Ok(Launcher {
        implementation: implementation(),
        connect: settings.timeouts.connect,
        handshake: settings.timeouts.handshake,
        install: settings.timeouts.install,
        pass: settings.environment.pass.clone(),
        supervision: supervision(settings)?,
        folder: places.project.clone(),
        identity: Arc::new(identity(places)?),
    })
}

/// Who this process is among hubs.
fn identity(places: &Places) -> anyhow::Result<HubIdentity> {
    let executable = std::env::current_exe().context("our own program cannot be found")?;
    let inherited = std::env::var_os(INSTANCES).map(|it| it.to_string_lossy().into_owned());
    Ok(HubIdentity::new(places, executable, inherited.as_deref()))
}

/// What keeps servers' processes on this machine.
pub(crate) fn supervision(settings: &Settings) -> anyhow::Result<SupervisionPolicy> {
    let program = std::env::current_exe().context("our own program cannot be found")?;
    Ok(SupervisionPolicy::new(program, settings.confinement.level))
}
