//! The gateway: one set of upstreams, and the views that clients have of them and of built-ins.
//!
//! It wires the parts and owns their background tasks. Requests are answered from a view's snapshot
//! (`dispatch`); every change of a snapshot goes through `servers`.

use crate::approvals::tools::ToolApprovals;
use crate::approvals::writer::SightingWriter;
use crate::background::BackgroundTasks;
use crate::calls::observer::CallObserver;
use crate::calls::record::Recorder;
use crate::calls::running::RunningCalls;
use crate::dispatch::guard::Guard;
use crate::dispatch::lists::ListAccess;
use crate::dispatch::locate::{Locator, StoredLists};
use crate::dispatch::own::OwnResources;
use crate::dispatch::owner_guard::OwnerGuard;
use crate::dispatch::results::LargeResults;
use crate::dispatch::router::{DispatchContext, GatewayService};
use crate::dispatch::rule_writer::RuleWriter;
use crate::first_starts::policy::FirstStarts;
use crate::first_starts::tasks::FirstStartTasks;
use crate::gateway::events::EventRouter;
use crate::gateway::owner_controls::OwnerControls;
use crate::identity::HubIdentity;
use crate::management::{self, ManagementContext};
use crate::reload::{ConfigReader, Reload, is_approvals_unreadable};
use crate::servers::lists_cache::ListsCache;
use crate::servers::registry::{RegistryOptions, ServerRegistry};
use crate::status::reader::{GatewayStatus, StatusReader};
use crate::tool_search;
use crate::tool_vectors::{ToolEmbedder, ToolVectors};
use crate::upstream::LoginPages;
use crate::upstream::failures::StartFailures;
use crate::upstream::launch::Launcher;
use crate::upstream::server::UpstreamContext;
use crate::upstream::start_limiter::StartLimiter;
use crate::view::error::{GatewayError, RestartError};
use crate::view::open_views::OpenViews;
use crate::view::{View, ViewId, ViewOptions};
use crate::watch::poller::Poller;
use crate::watch::updates::{WatchUpdater, track_interest};
use crate::watch::watches::Watches;
use hobnob_config::{Approvals, Broken, Places, Servers, Settings, ToolNameForm};
use hobnob_mcp_engine::Principal;
use hobnob_mcp_toolbox::{Kit, KitError};
use hobnob_policy::audit::AuditLog;
use parking_lot::{Mutex, RwLock};
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock, Weak};
use tokio::sync::Notify;

/// Everything that [`Gateway::start`] needs.
pub struct GatewayOptions {
    /// The folders of settings, state and project.
    pub places: Places,
    /// The settings as read at the start; a reload replaces them.
    pub settings: Settings,
    /// The servers as read at the start, including the project's; a reload replaces them.
    pub servers: Servers,
    /// How servers are started.
    pub launcher: Launcher,
    /// The audit log, if calls are recorded.
    pub audit: Option<Arc<AuditLog>>,
    /// Is notified of every call.
    pub observer: Option<Arc<dyn CallObserver>>,
    /// Entries on one page of a list.
    pub page: usize,
    /// Which servers are started before a client calls them.
    pub first_starts: FirstStarts,
    /// Whether the configuration is read again when its files change.
    pub reload: Reload,
}

/// Many servers behind one service per view.
pub struct Gateway {
    servers: Arc<ServerRegistry>,
    first_starts: Arc<FirstStartTasks>,
    watches: Arc<Watches>,
    config_reader: Arc<ConfigReader>,
    status: Arc<StatusReader>,
    owner_controls: OwnerControls,
    dispatch: Arc<DispatchContext>,
    tasks: BackgroundTasks,
}

impl Gateway {
    /// Starts a gateway without any view, and so without any server.
    pub fn start(options: GatewayOptions) -> Arc<Self> {
        let GatewayOptions { places, settings, servers, launcher, .. } = options;
        let tasks = BackgroundTasks::default();
        let identity = Arc::clone(&launcher.identity);
        let views: Arc<OpenViews> = Arc::default();
        let published: Arc<Notify> = Arc::default();
        let watches = Arc::new(Watches::new(Arc::clone(&published)));
        let approvals = Approvals::load(&places.approvals());
        let unreadable = is_approvals_unreadable(&approvals);
        let parts = RegistryParts {
            approvals,
            launcher,
            views: &views,
            published,
            tasks: &tasks,
            observer: options.observer.clone(),
        };
        let servers = registry(&places, settings, servers, &watches, parts);
        let first_starts =
            FirstStartTasks::new(Arc::clone(&servers), options.first_starts, tasks.clone());
        let running = options.observer.map(|observer| Arc::new(RunningCalls::new(observer)));
        let recorder = Recorder::new(options.audit, running.clone());
        let poller = poller(&views, &watches, recorder.clone(), &tasks);
        let status = status_reader(&identity, &places, &views, &servers, &first_starts);
        let config_reader = ConfigReader::new(
            places.clone(),
            options.reload,
            Arc::clone(&servers),
            Arc::clone(&first_starts),
            recorder.clone(),
            unreadable,
        );
        watch_files(&config_reader, options.reload, &tasks);
        let owner_guard = owner_guard(&places, recorder.clone());
        let guard = Guard::new(Arc::clone(&owner_guard), options.reload, recorder.clone());
        let locator = Arc::new(Locator::new(Arc::clone(&config_reader), Arc::clone(&first_starts)));
        let results: Arc<LargeResults> = Arc::default();
        let own = OwnResources {
            results: Arc::clone(&results),
            config_reader: Arc::clone(&config_reader),
            poller,
            status: Arc::clone(&status),
        };
        let page = NonZeroUsize::new(options.page).unwrap_or(NonZeroUsize::MIN);
        let rule_uses = Arc::clone(&recorder.rule_uses);
        let dispatch = DispatchContext::new(identity, recorder, locator, guard, own, page);
        let owner_controls = OwnerControls {
            guard: owner_guard,
            config_reader: Arc::clone(&config_reader),
            running,
            servers: Arc::clone(&servers),
            results,
            views,
            rule_uses,
        };
        Arc::new(Self {
            first_starts,
            watches,
            status,
            owner_controls,
            servers,
            config_reader,
            dispatch: Arc::new(dispatch),
            tasks,
        })
    }

    /// Opens a view and starts the servers that it is the first to include.
    pub fn open_view(&self, options: ViewOptions) -> Result<GatewayService, GatewayError> {
        let add_management = |view: &Arc<View>| match view.has_hobnob_tools() {
            true => {
                let dispatch = Arc::downgrade(&self.dispatch);
                let context = ManagementContext { dispatch, view: Arc::downgrade(view) };
                view.toolbox.add(management::kit(&context)?)?;
                match view.tool_names() {
                    ToolNameForm::Any => view.toolbox.add(tool_search::kit(&context)?),
                    // Names in this form have a dot, and those of the search tools have none.
                    ToolNameForm::Dotted => Ok(()),
                }
            }
            false => Ok(()),
        };
        let (view, added) = self.servers.open_view(options, add_management)?;
        track_interest(&self.watches, &view);
        self.first_starts.start_new(added);
        Ok(GatewayService { context: Arc::clone(&self.dispatch), view })
    }

    /// Enables the search of tools by meaning, with this model. Only the first model counts.
    pub fn find_tools_with(&self, model: Arc<dyn ToolEmbedder>) {
        let vectors = || ToolVectors::new(model, self.tasks.clone());
        self.dispatch.tool_vectors.get_or_init(vectors);
    }

    /// Makes lists name only what their caller may use. Only the first `access` counts.
    pub fn list_with(&self, access: Arc<dyn ListAccess>) {
        self.dispatch.lists.access.get_or_init(|| access);
    }

    /// Makes lists wait for what was stored before the request. Only the first `lists` counts.
    pub fn follow_store_with(&self, lists: Arc<dyn StoredLists>) {
        self.dispatch.locator.stored_lists.get_or_init(|| lists);
    }

    /// Makes the error for a tool of a disabled service name the command that enables it, which
    /// `command` returns. Only the first `command` counts.
    pub fn explain_switched_off(
        &self,
        command: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) {
        self.dispatch.locator.switched_off.get_or_init(|| Box::new(command));
    }

    /// Replaces a view's kit of the same name and notifies clients of lists that differ. Changes
    /// nothing if another kit has one of the new kit's names.
    pub fn replace_kit(&self, view: ViewId, kit: Kit) -> Result<(), KitError> {
        self.servers.replace_kit(view, kit)
    }

    /// Starts every server that `which` selects.
    pub fn start_servers(&self, which: &FirstStarts) {
        self.first_starts.start_all(which);
    }

    /// Waits until no first start of a server is under way.
    pub async fn first_starts_ended(&self) {
        self.first_starts.ended().await;
    }

    /// Waits until a first start is under way.
    pub async fn first_start_begun(&self) {
        self.first_starts.begun().await;
    }

    /// Stops a server and starts it again for this principal, because a person asked for it. Calls
    /// that run on it fail.
    pub async fn restart(&self, server: &str, principal: &Principal) -> Result<(), RestartError> {
        // The server may have been added a moment ago.
        self.read_again();
        let upstreams = self.servers.upstreams();
        let upstream = upstreams.iter().find(|it| it.name() == server);
        let upstream = upstream.ok_or_else(|| RestartError::Unknown(server.to_owned()))?;
        upstream.restart(principal).await.map_err(|why| RestartError::Unavailable(why.0))
    }

    /// What only the owner may do; the caller has verified that the owner asks.
    pub fn owner_controls(&self) -> OwnerControls {
        self.owner_controls.clone()
    }

    /// Schedules a reload of the configuration, as if its files had changed.
    pub fn reload(&self) {
        self.config_reader.request();
    }

    /// Reads and applies the configuration now. Only parts that changed are touched; if a file
    /// cannot be read, what was read of it before stays in force.
    pub fn read_again(&self) {
        self.config_reader.read_again();
    }

    /// Makes `check` run at every check of the configuration's files: before a list is answered or
    /// a name rejected, and every few seconds. Only the first `check` counts.
    pub fn on_config_check(&self, check: impl Fn() + Send + Sync + 'static) {
        self.config_reader.also_check(Box::new(check));
    }

    /// Shows these pages to named principals who have to log in to a server. Only the first `pages`
    /// count.
    pub fn show_login_pages(&self, pages: LoginPages) {
        self.servers.set_login_pages(pages);
    }

    /// Adds the problems that `source` returns to the status, which every client may read.
    pub fn report_problems(&self, source: impl Fn() -> Vec<String> + Send + Sync + 'static) {
        self.status.add_problem_source(Box::new(source));
    }

    /// The current status of all servers and views.
    pub fn status(&self) -> GatewayStatus {
        self.status.read_all()
    }

    /// The status of the servers in the view of a profile, or in the plain view, as a client with
    /// this principal may read it. `None` if the view is not open or has no status for clients.
    pub fn view_status(
        &self,
        profile: Option<&str>,
        principal: &Principal,
    ) -> Option<GatewayStatus> {
        self.status.read_profile(profile, principal)
    }

    /// Stops every server and waits until all their processes are gone.
    pub async fn shut_down(&self) {
        self.tasks.stop.cancel();
        let upstreams = self.servers.upstreams();
        self.servers.shut_down();
        self.tasks.join().await;
        for upstream in upstreams {
            upstream.logins.close().await;
        }
        self.dispatch.contents.recorder.flush();
    }
}

/// What the registry shares with the other parts or takes over from the options.
struct RegistryParts<'a> {
    approvals: Result<Approvals, Broken>,
    launcher: Launcher,
    views: &'a Arc<OpenViews>,
    published: Arc<Notify>,
    tasks: &'a BackgroundTasks,
    observer: Option<Arc<dyn CallObserver>>,
}

/// Builds the registry: its upstreams report to it, and its approvals make it publish.
fn registry(
    places: &Places,
    settings: Settings,
    servers: Servers,
    watches: &Arc<Watches>,
    parts: RegistryParts<'_>,
) -> Arc<ServerRegistry> {
    let RegistryParts { approvals, launcher, views, published, tasks, observer } = parts;
    let cache = ListsCache::new(&places.catalogues(), tasks.clone());
    Arc::new_cyclic(|registry: &Weak<ServerRegistry>| {
        let identity = Arc::clone(&launcher.identity);
        let context = Arc::new(UpstreamContext {
            launcher: RwLock::new(launcher),
            tasks: tasks.clone(),
            events: Arc::new(EventRouter {
                servers: registry.clone(),
                views: Arc::downgrade(views),
                watches: Arc::clone(watches),
                cache: cache.clone(),
                observer,
            }),
            limiter: StartLimiter::new(settings.gateway.parallel_starts),
            failures: StartFailures::new(places),
            histories: Arc::default(),
            places: places.clone(),
            login_pages: OnceLock::new(),
        });
        let registry = registry.clone();
        let publish = move || {
            if let Some(registry) = registry.upgrade() {
                registry.publish();
            }
        };
        ServerRegistry::new(RegistryOptions {
            settings,
            servers,
            approvals: ToolApprovals::new(
                approvals,
                SightingWriter::new(places, tasks.clone(), publish),
            ),
            identity,
            project: places.project.clone(),
            cache,
            context,
            views: Arc::clone(views),
            published,
        })
    })
}

impl std::fmt::Debug for Gateway {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Gateway")
    }
}

impl std::fmt::Debug for GatewayOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GatewayOptions").field("places", &self.places).finish_non_exhaustive()
    }
}

/// Reads watched resources of servers that do not notify, and keeps the watches up to date.
fn poller(
    views: &Arc<OpenViews>,
    watches: &Arc<Watches>,
    recorder: Recorder,
    tasks: &BackgroundTasks,
) -> Arc<Poller> {
    let (views, watches) = (Arc::clone(views), Arc::clone(watches));
    let poller = Poller::new(Arc::clone(&views), recorder, Arc::clone(&watches), tasks.clone());
    let updater = WatchUpdater::new(views, watches, Arc::clone(&poller), tasks.clone());
    tasks.tracker.spawn(updater.run());
    poller
}

fn watch_files(config_reader: &Arc<ConfigReader>, reload: Reload, tasks: &BackgroundTasks) {
    if reload == Reload::Watch {
        let watching = Arc::clone(config_reader).watch_files(tasks.stop.clone());
        tasks.tracker.spawn(watching);
    }
}

fn owner_guard(places: &Places, recorder: Recorder) -> Arc<OwnerGuard> {
    let rules = RuleWriter::new(places.settings(), recorder.clone());
    Arc::new(OwnerGuard::new(places.state_dir.join("questions"), rules, recorder))
}

fn status_reader(
    identity: &Arc<HubIdentity>,
    places: &Places,
    views: &Arc<OpenViews>,
    servers: &Arc<ServerRegistry>,
    first_starts: &Arc<FirstStartTasks>,
) -> Arc<StatusReader> {
    Arc::new(StatusReader {
        identity: Arc::clone(identity),
        project: places.project.clone(),
        views: Arc::clone(views),
        servers: Arc::clone(servers),
        first_starts: Arc::clone(first_starts),
        other_problems: Mutex::default(),
    })
}
