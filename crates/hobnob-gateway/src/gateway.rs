//! The gateway: one pool of upstreams, and the views that clients have of them and of built-ins.
//!
//! What requests are answered from is a view's snapshot; whatever changes it (a file, an
//! upstream's lists, an approval) goes through one lock and puts new snapshots in place.

use crate::calls::record::Recorder;
use crate::catalog::InvalidOverride;
use crate::consent::OpenConsents;
use crate::dispatch::follow::FollowedTasks;
use crate::identity::HubIdentity;
use crate::servers::awaited::Awaited;
use crate::servers::config::Config;
use crate::spill::SpillStore;
use crate::upstream::launch::Launcher;
use crate::upstream::server::UpstreamContext;
use crate::view::View;
use crate::watch::polls::Polls;
use crate::watch::watches::Watches;
use hobnob_config::{CatalogueCache, Places, Servers, Settings};
use hobnob_mcp_engine::Change;
use hobnob_mcp_server::toolbox::KitError;
use hobnob_policy::RuleError;
use hobnob_policy::audit::AuditLog;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, Weak};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What a gateway is made of.
pub struct GatewayOptions {
    /// The folders of settings, state and project.
    pub places: Places,
    /// As read at the start; a reload replaces them.
    pub settings: Settings,
    /// As read at the start, the project's among them; a reload replaces them.
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
    /// Servers start when they are called or watched, and not before.
    None,
}

/// Whether the configuration is read again when its files change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// Its files are checked every few seconds.
    Watch,
    /// Only `Gateway::reload` and `Gateway::read_again` have it read.
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
    pub(crate) views: RwLock<Arc<[Arc<View>]>>,
    pub(crate) upstream_context: Arc<UpstreamContext>,
    pub(crate) cache: CatalogueCache,
    pub(crate) recorder: Recorder,
    pub(crate) spills: Mutex<SpillStore>,
    pub(crate) polls: Polls,
    pub(crate) followed_tasks: FollowedTasks,
    /// Whether tools may run: what people were asked and have not answered yet.
    pub(crate) open_consents: OpenConsents,
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

    /// Reads the configuration again, as if its files had changed.
    pub fn reload(&self) {
        self.reload.notify_one();
    }

    /// All views there are.
    pub(crate) fn views(&self) -> Arc<[Arc<View>]> {
        Arc::clone(&self.views.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Announces a change of a server's resource in every view that shows the server.
    pub(crate) fn announce(&self, server: &str, change: &Change) {
        for view in self.views().iter().filter(|view| view.shows_server(server)) {
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
