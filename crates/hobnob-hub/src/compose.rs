//! The only wiring: services and a gateway from folders and settings, views from profiles, a server
//! for each view.
//!
//! `serve` and every command that needs its own hub call `compose`; it must run inside a runtime.
//! The result must be shut down, or servers' processes are killed without a graceful shutdown.

mod plan;

pub use plan::{Callers, Plan, Views};

use crate::call_observers::CallWatchers;
use crate::listeners;
use crate::opened_audit::open_audit;
use crate::page::{OwnerPage, PageParts};
use crate::recorder::MessageRecorder;
use crate::services::{
    GrantFollower, Services, StoreNotifier, StoredKits, ViewSubscribers, everyday_tools, tool_model,
};
use crate::views::{LoadedProfile, ProfileServer, ViewOpener};
use anyhow::Context as _;
use hobnob_config::{
    LimitSettings, Places, ProfileName, SHIPPED, Servers, Settings, list_profiles,
    process_environment,
};
use hobnob_gateway::{
    Gateway, GatewayOptions, HubIdentity, INSTANCES, Launcher, Reload, SandboxBuilder,
    SandboxOptions, SupervisionPolicy,
};
use hobnob_mcp_auth::FileGrantStore;
use hobnob_mcp_engine::{Limits, MessageTap};
use hobnob_mcp_http::HttpLoad;
use hobnob_mcp_server::{ClientQuotas, Server};
use hobnob_mcp_types::hello::Implementation;
use hobnob_policy::audit::AuditLog;
use hobnob_telemetry::Metrics;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// A gateway, and the servers that show its views.
pub struct Composed {
    /// Shows the first view: everything, or the only profile.
    pub server: Server,
    /// The servers of profiles, each opened at its first request. If there is only one profile, it
    /// is the first view as well.
    pub profiles: Vec<Arc<ProfileServer>>,
    /// The gateway behind the views, with all servers, their states and logins.
    pub gateway: Arc<Gateway>,
    services: Services,
    /// Notifications and the background work of services.
    background: JoinSet<()>,
    stop: CancellationToken,
    /// The most memory that large HTTP request bodies may take together.
    pub body_bytes: u64,
    /// The audit log, which also records refusals of listeners.
    pub audit: Option<Arc<AuditLog>>,
    /// What `/metrics` shows, unless the settings disable it.
    pub metrics: Option<Arc<Metrics>>,
    /// The page for the hub's owner.
    pub page: Arc<OwnerPage>,
    /// What the listener of `serve` holds open; `serve` passes it to the listener, and the page
    /// shows it.
    pub http_load: Arc<HttpLoad>,
}

/// The name and version that Hobnob sends to clients and servers.
pub fn implementation() -> Implementation {
    Implementation::new("hobnob", env!("CARGO_PKG_VERSION"))
}

/// Builds everything from a plan. Must run inside a runtime.
pub async fn compose(plan: Plan) -> anyhow::Result<Composed> {
    let Plan { places, views, first_starts, reload, native_calls, callers } = plan;
    places.create().context("the folders for settings and state cannot be made")?;
    let settings = Settings::load(&places.settings()).map_err(anyhow::Error::from)?;
    let launcher = launcher(&places, &settings)?;
    check_place(&launcher.identity, reload)?;
    let servers = Servers::load(&places, &process_environment);
    warn_of_problems(&servers);
    let audit = open_audit(&places, &settings)?;
    let services = Services::open(&places, &settings, audit.clone())?;
    let limits = limits(&settings.limits);
    let listed = callers.listed(settings.listener.mode);
    let body_bytes = settings.limits.bodies_total;
    let everyday = everyday_tools(services.all(), &settings.services, listed);
    let tool_model = tool_model(&places, &settings.embeddings);
    let watchers = CallWatchers::open(&settings, &services)?;
    let tap = launcher.tap.clone();
    let gateway = Gateway::start(GatewayOptions {
        launcher,
        places: places.clone(),
        settings,
        servers,
        audit: audit.clone(),
        observer: watchers.observer(),
        page: limits.page,
        first_starts,
        reload,
    });
    if let Some(model) = tool_model {
        gateway.find_tools_with(model);
    }
    let reported = services.clone();
    gateway.report_problems(move || reported.problems());
    let project_from = views.project_from();
    services.refresh().await;
    let opener = Arc::new(ViewOpener {
        gateway: Arc::clone(&gateway),
        services: services.clone(),
        everyday,
        subscribers: Arc::default(),
        project_from,
        listed,
        native_calls,
        clients: ClientQuotas::new(&limits),
        tap: tap.clone(),
        limits,
    });
    let first_profile = views.first_profile().map(str::to_owned);
    let (server, profiles) = match open_views(&opener, &places, views).await {
        Ok(opened) => opened,
        Err(error) => {
            // The first view may have started servers already.
            gateway.shut_down().await;
            return Err(error);
        }
    };
    let opened = OpenedViews { opener, server, first_profile, profiles };
    let work = BackgroundWork { places, audit, reload, watchers, body_bytes };
    Ok(opened.with(work))
}

/// The views of a hub before anything runs beside them.
struct OpenedViews {
    opener: Arc<ViewOpener>,
    server: Server,
    /// The profile of the first view, if it has one.
    first_profile: Option<String>,
    profiles: Vec<Arc<ProfileServer>>,
}

/// What runs beside the views, and what it needs.
struct BackgroundWork {
    places: Places,
    audit: Option<Arc<AuditLog>>,
    reload: Reload,
    watchers: CallWatchers,
    body_bytes: u64,
}

impl OpenedViews {
    /// Makes the page and starts the background work.
    fn with(self, work: BackgroundWork) -> Composed {
        let Self { opener, server, first_profile, profiles } = self;
        let BackgroundWork { places, audit, reload, watchers, body_bytes } = work;
        let (gateway, services) = (Arc::clone(&opener.gateway), opener.services.clone());
        let (mut background, stop) = (JoinSet::new(), CancellationToken::new());
        let recorder = MessageRecorder::new(opener.tap.clone(), places.clone(), audit.clone());
        background.spawn(Arc::clone(&recorder).run(stop.clone()));
        watchers.run(&mut background, &stop);
        let CallWatchers { metrics, usage, feed, traces: _ } = watchers;
        let http_load: Arc<HttpLoad> = Arc::default();
        let page = OwnerPage::new(PageParts {
            gateway: Arc::clone(&gateway),
            server: server.clone(),
            first_profile,
            profiles: profiles.clone(),
            places,
            audit: audit.clone(),
            usage,
            store: services.opened_store(),
            http_load: Arc::clone(&http_load),
            feed,
            recorder,
        });
        background.spawn(page.run(stop.clone()));
        follow_changes(&opener, &page, &mut background, &stop);
        match reload {
            Reload::Watch => drop(background.spawn(services.clone().run(stop.clone()))),
            Reload::OnDemand => {}
        }
        Composed {
            server,
            profiles,
            gateway,
            services,
            background,
            stop,
            body_bytes,
            audit,
            metrics,
            page,
            http_load,
        }
    }
}

/// Lets views and the page follow grants and the store.
fn follow_changes(
    opener: &ViewOpener,
    page: &Arc<OwnerPage>,
    background: &mut JoinSet<()>,
    stop: &CancellationToken,
) {
    let (gateway, services) = (&opener.gateway, &opener.services);
    let subscribers: Arc<ViewSubscribers> = Arc::clone(&opener.subscribers);
    let follower = GrantFollower::new(services.clone(), gateway, &subscribers);
    // Weak, since the gateway holds the check and the page the gateway.
    let checked = Arc::downgrade(page);
    gateway.on_config_check(move || {
        follower.follow();
        if let Some(page) = checked.upgrade() {
            page.config_checked();
        }
    });
    let kits = Arc::new(StoredKits::new(services.clone(), gateway, &subscribers));
    let switches = services.clone();
    gateway.explain_switched_off(move |service| switches.enabling(service));
    gateway.follow_store_with(Arc::clone(&kits) as _);
    let page = Arc::clone(page);
    let notifier = StoreNotifier { services: services.clone(), kits, subscribers, page };
    background.spawn(notifier.run(stop.clone()));
}

/// Fails if this hub would end up behind itself.
fn check_place(identity: &HubIdentity, reload: Reload) -> anyhow::Result<()> {
    let allowed = match reload {
        Reload::Watch => identity.check_start(),
        // A command may well be typed in a server's environment.
        Reload::OnDemand => identity.check_depth(),
    };
    allowed.map_err(anyhow::Error::msg)
}

fn warn_of_problems(servers: &Servers) {
    for problem in servers.problems() {
        tracing::warn!(%problem, "configuration");
    }
    for problem in servers.misconfigured() {
        tracing::warn!(%problem, "configuration");
    }
}

impl Composed {
    /// Ends the servers' clients, then notifications and background work, then the services, and
    /// finally the gateway.
    pub async fn shut_down(mut self) {
        self.stop_serving().await;
        self.stop.cancel();
        while self.background.join_next().await.is_some() {}
        self.services.close().await;
        self.gateway.shut_down().await;
    }

    /// Accepts no more requests and stops all tasks.
    pub async fn stop_serving(&self) {
        self.server.shut_down().await;
        for server in self.profiles.iter().filter_map(|profile| profile.server()) {
            server.shut_down().await;
        }
    }
}

/// Opens the first view, and loads the profiles that may open beside it later.
async fn open_views(
    opener: &Arc<ViewOpener>,
    places: &Places,
    views: Views,
) -> anyhow::Result<(Server, Vec<Arc<ProfileServer>>)> {
    let later = |loaded: LoadedProfile| Arc::new(ProfileServer::new(loaded, Arc::clone(opener)));
    match views {
        Views::Plain => Ok((opener.open_plain().await?, Vec::new())),
        Views::Only { profile, .. } => {
            let loaded = opener.load(places, ProfileName::parse(&profile)?)?;
            let server = opener.open_profile(loaded.clone()).await?;
            let only = ProfileServer::opened(loaded, Arc::clone(opener), server.clone());
            Ok((server, vec![Arc::new(only)]))
        }
        Views::PlainAnd(names) => {
            let names = names.iter().map(|name| ProfileName::parse(name));
            let names: BTreeSet<ProfileName> = names.collect::<Result<_, _>>()?;
            let loaded = names.into_iter().map(|name| opener.load(places, name).map(later));
            let profiles = loaded.collect::<anyhow::Result<_>>()?;
            Ok((opener.open_plain().await?, profiles))
        }
        Views::PlainAndAll => {
            let names: BTreeSet<_> = list_profiles(places, SHIPPED).into_iter().collect();
            let load = |name: ProfileName| match opener.load(places, name.clone()) {
                Ok(loaded) => Some(later(loaded)),
                Err(error) => {
                    tracing::warn!(profile = name.as_str(), "not served: {error:#}");
                    None
                }
            };
            Ok((opener.open_plain().await?, names.into_iter().filter_map(load).collect()))
        }
    }
}

/// The limits on clients, from the settings.
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

/// The launcher of servers for these folders and settings.
pub fn launcher(places: &Places, settings: &Settings) -> anyhow::Result<Launcher> {
    Ok(Launcher {
        implementation: implementation(),
        connect: settings.timeouts.connect,
        handshake: settings.timeouts.handshake,
        install: settings.timeouts.install,
        pass: settings.environment.pass.clone(),
        supervision: supervision(settings)?,
        sandboxes: sandboxes(places),
        trace_report: None,
        folder: places.project.clone(),
        identity: Arc::new(identity(places)?),
        logins: Arc::new(FileGrantStore::new(places.logins())),
        tap: MessageTap::default(),
    })
}

/// The builder of sandboxes for servers.
fn sandboxes(places: &Places) -> SandboxBuilder {
    let listening = places.clone();
    SandboxBuilder::new(SandboxOptions {
        home: places.home.clone(),
        own_folders: places.own_folders(),
        own_ports: Arc::new(move || listeners::open_ports(&listening)),
    })
}

/// Whether a hub would start servers to learn their lists.
pub fn has_servers_to_learn(places: &Places, settings: &Settings) -> bool {
    let Ok(identity) = identity(places) else { return false };
    let servers = Servers::load(places, &process_environment);
    hobnob_gateway::has_servers_to_learn(places, settings, &servers, identity)
}

/// Fails if this process would serve behind a hub with the same settings.
pub fn check_start(places: &Places) -> anyhow::Result<()> {
    identity(places)?.check_start().map_err(anyhow::Error::msg)
}

/// The identity of this process among hubs.
fn identity(places: &Places) -> anyhow::Result<HubIdentity> {
    let executable = std::env::current_exe().context("our own program cannot be found")?;
    let inherited = std::env::var_os(INSTANCES).map(|it| it.to_string_lossy().into_owned());
    Ok(HubIdentity::new(places, executable, inherited.as_deref()))
}

/// How servers' processes are supervised on this machine.
pub(crate) fn supervision(settings: &Settings) -> anyhow::Result<SupervisionPolicy> {
    let program = std::env::current_exe().context("our own program cannot be found")?;
    Ok(SupervisionPolicy::new(program, settings.confinement.level))
}
