//! The beginning and the end of a gateway, its views, and the events of its upstreams.
//!
//! The binary calls it. A view is whole before anybody can see it: rules, built-ins, first snapshot.

use crate::calls::record::Recorder;
use crate::catalog::{EntryOwner, InvalidOverride, OverrideProblem};
use crate::consent::OpenConsents;
use crate::dispatch::follow::FollowedTasks;
use crate::dispatch::service::GatewayService;
use crate::gateway::{Gateway, GatewayError, GatewayOptions, Reload};
use crate::management::{self, ManagementContext};
use crate::servers::awaited::Awaited;
use crate::servers::config::{Config, rules};
use crate::servers::publish::snapshot;
use crate::upstream::connection_state::{ResourceEvent, ResourceEvents};
use crate::upstream::failures::StartFailures;
use crate::upstream::server::{Upstream, UpstreamContext, UpstreamEvents};
use crate::upstream::start_limiter::StartLimiter;
use crate::uris::Prefix;
use crate::view::{View, ViewId, ViewOptions};
use crate::watch::polls::Polls;
use crate::watch::watches::Watches;
use hobnob_config::CatalogueCache;
use hobnob_mcp_engine::{BoxFuture, Change};
use hobnob_mcp_server::toolbox::{Kit, KitError};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long the end of all servers may take: each has its own time to go before it is killed.
const SHUTDOWN_WAIT: Duration = Duration::from_secs(12);

impl Gateway {
    /// A gateway that nobody looks at yet, and so without any server.
    pub fn start(options: GatewayOptions) -> Arc<Self> {
        let approvals = options.places.approvals();
        let config = Config::new(options.settings, options.servers, &approvals);
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let identity = Arc::clone(&options.launcher.identity);
        let gateway = Arc::new_cyclic(|this: &Weak<Gateway>| {
            let upstream_context = Arc::new(UpstreamContext {
                launcher: RwLock::new(options.launcher),
                tasks: tasks.clone(),
                stop: stop.clone(),
                events: Arc::new(GatewayEvents(this.clone())),
                limiter: StartLimiter::new(config.settings.gateway.parallel_starts),
                failures: StartFailures::new(&options.places),
            });
            Self {
                this: this.clone(),
                cache: CatalogueCache::new(&options.places.catalogues()),
                places: options.places,
                identity,
                config: Mutex::new(config),
                views: RwLock::default(),
                upstream_context,
                recorder: Recorder::new(options.audit),
                spills: Mutex::default(),
                polls: Polls::default(),
                followed_tasks: FollowedTasks::default(),
                open_consents: OpenConsents::default(),
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
        let view = View::new(id, options)?;
        if view.has_hobnob_tools() {
            let context =
                ManagementContext { gateway: self.this.clone(), view: Arc::downgrade(&view) };
            view.toolbox.add(management::kit(&context)?)?;
        }
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
        self.replace_snapshot(&view, snapshot(&config, &view, &rules));
        drop(config);
        self.track_interest(&view);
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
            self.replace_snapshot(&view, snapshot(&config, &view, rules));
        }
        Ok(())
    }

    /// Ends every server and waits until nothing of them is left.
    pub async fn shut_down(&self) {
        self.stop.cancel();
        self.upstream_context.limiter.close();
        for upstream in self.config().upstreams.values() {
            upstream.retire();
        }
        self.tasks.close();
        // Whatever hangs beyond this is ended by its supervisor when we are gone.
        if tokio::time::timeout(SHUTDOWN_WAIT, self.tasks.wait()).await.is_err() {
            tracing::warn!("some servers did not end in time");
        }
        self.recorder.flush();
    }
}

/// Whether a view must not be opened so: a built-in does not change any more, and a server's tool
/// may.
fn is_fatal(bad: &InvalidOverride) -> bool {
    bad.owner == EntryOwner::BuiltIn && !matches!(bad.problem, OverrideProblem::Name(_))
}

/// Passes the events of upstreams to the gateway, which they must not keep alive.
struct GatewayEvents(Weak<Gateway>);

impl ResourceEvents for GatewayEvents {
    fn on_resource(&self, server: &str, event: ResourceEvent<'_>) {
        let Some(gateway) = self.0.upgrade() else { return };
        let prefix = Prefix::of(server);
        match event {
            ResourceEvent::Updated(uri) => {
                gateway.announce(server, &Change::Resource(prefix.public(uri).into()));
            }
            ResourceEvent::Unwatched(uri) => gateway.watches.must_poll(&prefix.public(uri)),
        }
    }
}

impl UpstreamEvents for GatewayEvents {
    fn store_lists(&self, upstream: &Arc<Upstream>) -> BoxFuture<'static, ()> {
        match self.0.upgrade() {
            Some(gateway) => Box::pin(gateway.store_lists(upstream)),
            None => Box::pin(std::future::ready(())),
        }
    }

    fn on_lists_changed(&self, upstream: &Arc<Upstream>) {
        if let Some(gateway) = self.0.upgrade() {
            gateway.on_lists_changed(upstream);
        }
    }

    fn on_connection_changed(&self, upstream: &Arc<Upstream>) {
        if let Some(gateway) = self.0.upgrade() {
            gateway.on_connection_changed(upstream);
        }
    }
}
