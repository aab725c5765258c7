//! The gateway: built-ins and every upstream as one [`Service`].
//!
//! What requests are answered from is a snapshot; whatever changes it (a file, an upstream's
//! lists, an approval) goes through one lock in `state.rs` and puts a new snapshot in place.

use crate::catalog::{BuiltIn, BuiltIns};
use crate::follow::Follows;
use crate::polls::Polls;
use crate::record::Recorder;
use crate::spill::SpillStore;
use crate::state::{Config, Snapshot};
use crate::upstream::host::Told;
use crate::upstream::launch::Launcher;
use crate::upstream::pool::{Above, Surroundings, Upstream};
use crate::uris::Prefix;
use crate::watch::Watches;
use hobnob_config::{CatalogueCache, Places, Profile, Servers, Settings};
use hobnob_policy::audit::AuditLog;
use hobnob_policy::{Grants, RuleError};
use mcp_engine::{Change, ChangeHub};
use mcp_server::Tasks;
use mcp_server::toolbox::{Kit, KitError, Listing, Toolbox};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::sync::{Notify, watch};
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
    /// What clients see, if not everything.
    pub profile: Option<Profile>,
    /// How servers are started.
    pub launcher: Launcher,
    /// The built-in services.
    pub kits: Vec<Kit>,
    /// Where calls are recorded.
    pub audit: Option<AuditLog>,
    /// Entries on one page of a list.
    pub page: usize,
    /// Which servers are started without being asked for.
    pub first_starts: FirstStarts,
    /// Whether the configuration is read again when its files change.
    pub reload: Reload,
}

/// Which servers are started without being asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FirstStarts {
    /// Those that are to start with Hobnob, and those nothing is known of yet.
    Unknown,
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

/// Why there is no gateway.
#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// A built-in is not fit to be served.
    #[error(transparent)]
    Kit(#[from] KitError),
    /// A permission rule is wrong.
    #[error(transparent)]
    Rule(#[from] RuleError),
}

/// Many servers behind one service.
pub struct Gateway {
    pub(crate) this: Weak<Gateway>,
    pub(crate) hub: ChangeHub,
    pub(crate) jobs: Tasks,
    pub(crate) toolbox: Toolbox,
    pub(crate) places: Places,
    pub(crate) config: Mutex<Config>,
    pub(crate) snapshot: RwLock<Arc<Snapshot>>,
    pub(crate) around: Arc<Surroundings>,
    pub(crate) cache: CatalogueCache,
    pub(crate) grants: Grants,
    pub(crate) recorder: Recorder,
    pub(crate) spills: Mutex<SpillStore>,
    pub(crate) polls: Polls,
    pub(crate) follows: Follows,
    pub(crate) watches: Watches,
    pub(crate) page: NonZeroUsize,
    /// First starts that have not come to an end yet.
    pub(crate) first: watch::Sender<usize>,
    /// Pokes whoever reads the configuration again.
    pub(crate) reload: Notify,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
}

impl Gateway {
    /// Puts it together and begins to start servers. Changes are published on `hub`.
    pub fn start(
        options: GatewayOptions,
        hub: ChangeHub,
        jobs: Tasks,
    ) -> Result<Arc<Self>, GatewayError> {
        let approvals = options.places.approvals();
        let config = Config::new(options.settings, options.servers, options.profile, &approvals)?;
        let toolbox = Toolbox::new(hub.clone(), jobs.clone());
        for kit in options.kits {
            toolbox.add(kit)?;
        }
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let gateway = Arc::new_cyclic(|this: &Weak<Gateway>| {
            let around = Arc::new(Surroundings {
                launcher: RwLock::new(options.launcher),
                tasks: tasks.clone(),
                stop: stop.clone(),
                above: Arc::new(Ears(this.clone())),
            });
            Self {
                this: this.clone(),
                hub,
                jobs,
                toolbox,
                cache: CatalogueCache::new(&options.places.catalogues()),
                places: options.places,
                config: Mutex::new(config),
                snapshot: RwLock::default(),
                around,
                grants: Grants::default(),
                recorder: Recorder::new(options.audit),
                spills: Mutex::default(),
                polls: Polls::default(),
                follows: Follows::default(),
                watches: Watches::default(),
                page: NonZeroUsize::new(options.page).unwrap_or(NonZeroUsize::MIN),
                first: watch::Sender::new(0),
                reload: Notify::new(),
                tasks,
                stop,
            }
        });
        gateway.toolbox.add(crate::management::kit(&gateway.this)?)?;
        gateway.furnish(options.first_starts);
        gateway.begin_watching();
        if options.reload == Reload::Watch {
            let reloading = Arc::clone(&gateway);
            gateway.tasks.spawn(async move { reloading.watch_files().await });
        }
        Ok(gateway)
    }

    /// Ends every server and waits until nothing of them is left.
    pub async fn shut_down(&self) {
        self.stop.cancel();
        for upstream in self.snapshot().upstreams.values() {
            upstream.retire();
        }
        self.tasks.close();
        // Whatever hangs beyond this is ended by its keeper when we are gone.
        if tokio::time::timeout(LAST_WAIT, self.tasks.wait()).await.is_err() {
            tracing::warn!("some servers did not end in time");
        }
        self.recorder.flush();
    }

    /// Reads the configuration again, as if its files had changed.
    pub fn reload(&self) {
        self.reload.notify_one();
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn config(&self) -> MutexGuard<'_, Config> {
        self.config.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn spills(&self) -> MutexGuard<'_, SpillStore> {
        self.spills.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hobnob's own entries of the catalogue.
    pub(crate) fn built_ins(&self) -> BuiltIns {
        let own = |listed: Vec<Listing>| {
            let entry = |one: Listing| BuiltIn { key: one.key.into(), json: one.json.into() };
            listed.into_iter().map(entry).collect::<Vec<_>>()
        };
        let mut built_ins = BuiltIns {
            tools: own(self.toolbox.tools()),
            resources: own(self.toolbox.resources()),
            templates: own(self.toolbox.templates()),
            prompts: own(self.toolbox.prompts()),
        };
        built_ins.resources.extend(crate::own::resources());
        built_ins.templates.extend(crate::own::templates());
        built_ins
    }
}

/// What upstreams tell, as far as it concerns the gateway. They must not keep it alive.
struct Ears(Weak<Gateway>);

impl Above for Ears {
    fn told(&self, server: &str, told: Told<'_>) {
        let Some(gateway) = self.0.upgrade() else { return };
        let prefix = Prefix::of(server);
        match told {
            Told::Updated(uri) => {
                gateway.hub.publish(&Change::Resource(prefix.public(uri).into()));
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
        write!(f, "Gateway({} upstreams)", self.snapshot().upstreams.len())
    }
}

impl std::fmt::Debug for GatewayOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayOptions").field("places", &self.places).finish_non_exhaustive()
    }
}
