//! The gateway: one pool of upstreams, and the views that clients have of them and of built-ins.
//!
//! What requests are answered from is a view's snapshot; whatever changes it (a file, an
//! upstream's lists, an approval) goes through one lock and puts new snapshots in place.

use crate::catalog::{EntryOwner, InvalidOverride, OverrideProblem};
use crate::consent::OpenConsents;
use crate::follow::Follows;
use crate::identity::HubIdentity;
use crate::learn::Awaited;
use crate::polls::Polls;
use crate::record::Recorder;
use crate::route::GatewayService;
use crate::spill::SpillStore;
use crate::state::{Config, rules, snapshot};
use crate::upstream::failures::StartFailures;
use crate::upstream::host::Told;
use crate::upstream::launch::Launcher;
use crate::upstream::pool::{Above, Surroundings, Upstream};
use crate::upstream::starts::StartPlaces;
use crate::uris::Prefix;
use crate::view::{View, ViewId, ViewOptions};
use crate::watch::Watches;
use hobnob_config::{CatalogueCache, Places, Servers, Settings};
use hobnob_mcp_engine::Change;
use hobnob_mcp_server::toolbox::{Kit, KitError};
use hobnob_policy::RuleError;
use hobnob_policy::audit::AuditLog;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the end of all servers may take: each has its own time to go before it is killed.
const LAST_WAIT: Duration = Duration::from_secs(12);

/// What a gateway is made of.
pub struct GatewayOptions {
    /// Where files are.
    pub places: Places,
    /// The user's settings.
    pub settings: Settings,
    /// The user's servers.
    pub servers: Servers,
    /// How servers are started.
    pub launcher: Launcher,
    /// Where calls are recorded.
    pub audit: Option<Arc<AuditLog>>,
    /// Entries on one page of a list.
    pub page: usize,
    /// Which servers are started without being asked for.
    pub first_starts: FirstStarts,
    /// Whether the configuration is read again when its files change.
    pub reload: Reload,
}

/// Which servers are started without being asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FirstStarts {
    /// Those that are to start with Hobnob, and those nothing is known of: these are tried again
    /// and again until it is known what they offer. For whoever stays.
    Unknown,
    /// Those nothing is known of, once; not even once if they failed a short while ago. For a
    /// command that ends soon.
    UnknownOnce,
    /// These, if nothing is known of them, once.
    Only(Vec<String>),
    /// None.
    None,
}

/// Whether the configuration is read again when its files change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// Yes.
    Watch,
    /// Only when told to.
    OnDemand,
}

/// Why there is no such view.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// A built-in is not fit to be served.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// A permission rule is wrong.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The profile takes from a built-in what it cannot do without, or leaves it what it has not.
    #[error("the profile cannot be met: {0}")]
    Profile(InvalidOverride),
}

/// Many servers behind as many services as there are kinds of clients.
pub struct Gateway {
    pub(crate) this: Weak<Gateway>,
    pub(crate) places: Places,
    pub(crate) identity: Arc<HubIdentity>,
    pub(crate) config: Mutex<Config>,
    /// Only ever grows; a view's number is its place.
    views: RwLock<Arc<[Arc<View>]>>,
    pub(crate) around: Arc<Surroundings>,
    pub(crate) cache: CatalogueCache,
    pub(crate) recorder: Recorder,
    pub(crate) spills: Mutex<SpillStore>,
    pub(crate) polls: Polls,
    pub(crate) follows: Follows,
    /// Whether tools may run: what people were asked and have not answered yet.
    pub(crate) open_questions: OpenConsents,
    pub(crate) watches: Watches,
    pub(crate) page: NonZeroUsize,
    pub(crate) first_starts: FirstStarts,
    /// First starts that have not come to an end yet.
    pub(crate) awaited: Awaited,
    /// Says what is wrong with the built-in services now.
    pub(crate) service_problems: OnceLock<ProblemSource>,
    /// Pokes whoever reads the configuration again.
    pub(crate) reload: Notify,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

/// Says in words what is wrong at this moment.
type ProblemSource = Box<dyn Fn() -> Vec<String> + Send + Sync>;

impl Gateway {
    /// From now on the status names what `source` says is wrong. Only the first source counts.
    pub fn report_service_problems(
        &self,
        source: impl Fn() -> Vec<String> + Send + Sync + 'static,
    ) {
        drop(self.service_problems.set(Box::new(source)));
    }

    /// A gateway that nobody looks at yet, and so without any server.
    pub fn start(options: GatewayOptions) -> Arc<Self> {
        let approvals = options.places.approvals();
        let config = Config::new(options.settings, options.servers, &approvals);
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let identity = Arc::clone(&options.launcher.identity);
        let gateway = Arc::new_cyclic(|this: &Weak<Gateway>| {
            let around = Arc::new(Surroundings {
                launcher: RwLock::new(options.launcher),
                tasks: tasks.clone(),
                stop: stop.clone(),
                above: Arc::new(Ears(this.clone())),
                places: StartPlaces::new(config.settings.gateway.parallel_starts),
                failures: StartFailures::new(&options.places),
            });
            Self {
                this: this.clone(),
                cache: CatalogueCache::new(&options.places.catalogues()),
                places: options.places,
                identity,
                config: Mutex::new(config),
                views: RwLock::default(),
                around,
                recorder: Recorder::new(options.audit),
                spills: Mutex::default(),
                polls: Polls::default(),
                follows: Follows::default(),
                open_questions: OpenConsents::default(),
                watches: Watches::default(),
                page: NonZeroUsize::new(options.page).unwrap_or(NonZeroUsize::MIN),
                first_starts: options.first_starts,
                awaited: Awaited::default(),
                service_problems: OnceLock::new(),
                reload: Notify::new(),
                tasks,
                stop,
            }
        });
        gateway.begin_watching();
        if options.reload == Reload::Watch {
            let reloading = Arc::clone(&gateway);
            gateway.tasks.spawn(async move { reloading.watch_files().await });
        }
        gateway
    }

    /// Opens a view, and begins to start the servers that no view had before it.
    pub fn open_view(
        self: &Arc<Self>,
        options: ViewOptions,
    ) -> Result<GatewayService, GatewayError> {
        let mut config = self.config();
        let rules = Arc::new(rules(&config.settings, options.profile.as_ref())?);
        let id = ViewId(self.views().len());
        let view = View::new(id, options, &self.this)?;
        let first = snapshot(&config, &view, &rules);
        if let Some(bad) = first.catalogue.invalid_overrides().iter().find(|bad| is_fatal(bad)) {
            return Err(GatewayError::Profile(bad.clone()));
        }
        config.rules.push(Arc::clone(&rules));
        {
            let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
            *views = views.iter().chain([&view]).cloned().collect();
        }
        let mut added = self.install_missing(&mut config);
        // What is at hand goes before what has to be downloaded.
        added.sort_by_key(|upstream| upstream.may_be_downloading());
        self.show(&view, snapshot(&config, &view, &rules));
        drop(config);
        self.hear_interest(&view);
        for upstream in added {
            self.first_start(&upstream, &self.first_starts);
        }
        Ok(GatewayService { gateway: Arc::clone(self), view })
    }

    /// Puts a kit in place of the one of the same name in a view, and tells its clients of what
    /// is listed differently. Nothing changes if any of the kit's names is taken.
    pub fn replace_kit(&self, view: ViewId, kit: Kit) -> Result<(), KitError> {
        let Some(view) = self.views().get(view.0).cloned() else { return Ok(()) };
        view.toolbox.replace(kit)?;
        let config = self.config();
        if let Some(rules) = config.rules.get(view.id.0) {
            self.show(&view, snapshot(&config, &view, rules));
        }
        Ok(())
    }

    /// Ends every server and waits until nothing of them is left.
    pub async fn shut_down(&self) {
        self.stop.cancel();
        self.around.places.close();
        for upstream in self.config().upstreams.values() {
            upstream.retire();
        }
        self.tasks.close();
        // Whatever hangs beyond this is ended by its supervisor when we are gone.
        if tokio::time::timeout(LAST_WAIT, self.tasks.wait()).await.is_err() {
            tracing::warn!("some servers did not end in time");
        }
        self.recorder.flush();
    }

    /// Reads the configuration again, as if its files had changed.
    pub fn reload(&self) {
        self.reload.notify_one();
    }

    /// All views there are.
    pub(crate) fn views(&self) -> Arc<[Arc<View>]> {
        Arc::clone(&self.views.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Tells a change of a server's resource to every view that has the server.
    pub(crate) fn tell(&self, server: &str, change: &Change) {
        for view in self.views().iter().filter(|view| view.hears(server)) {
            view.announce(change);
        }
    }

    pub(crate) fn config(&self) -> MutexGuard<'_, Config> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn spills(&self) -> MutexGuard<'_, SpillStore> {
        self.spills.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a view must not be opened so: a built-in does not change any more, and a server's tool
/// may.
fn is_fatal(bad: &InvalidOverride) -> bool {
    bad.owner == EntryOwner::BuiltIn && !matches!(bad.problem, OverrideProblem::Name(_))
}

/// What upstreams tell, as far as it concerns the gateway. They must not keep it alive.
struct Ears(Weak<Gateway>);

impl Above for Ears {
    fn told(&self, server: &str, told: Told<'_>) {
        let Some(gateway) = self.0.upgrade() else { return };
        let prefix = Prefix::of(server);
        match told {
            Told::Updated(uri) => {
                gateway.tell(server, &Change::Resource(prefix.public(uri).into()));
            }
            Told::Unwatched(uri) => gateway.watches.must_poll(&prefix.public(uri)),
        }
    }

    fn listed(&self, upstream: &Arc<Upstream>) {
        if let Some(gateway) = self.0.upgrade() {
            gateway.listed(upstream);
        }
    }

    fn moved(&self, upstream: &Arc<Upstream>) {
        if let Some(gateway) = self.0.upgrade() {
            gateway.moved(upstream);
        }
    }
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Gateway({} views)", self.views().len())
    }
}

impl std::fmt::Debug for GatewayOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayOptions").field("places", &self.places).finish_non_exhaustive()
    }
}
