//! One upstream as the gateway holds it: its configuration, its lists, and at most one connection
//! for each principal, which all waiting callers share.
//!
//! This file has the state and the queries about it. Events are handled in the files above:
//! `ending`, `life`, `start`, `connections`, in this order.

use crate::background::BackgroundTasks;
use crate::identity::HubIdentity;
use crate::upstream::configured::{Configured, Unavailable};
use crate::upstream::connection_state::ResourceEvents;
use crate::upstream::failures::{StartFailure, StartFailures};
use crate::upstream::health::{Health, StartKind};
use crate::upstream::known_lists::{Known, KnownLists};
use crate::upstream::launch::Launcher;
use crate::upstream::lists::Lists;
use crate::upstream::login_pages::LoginPages;
use crate::upstream::logins::{Logins, login_command};
use crate::upstream::page_login::PageLogins;
use crate::upstream::running::Running;
use crate::upstream::server_log::ServerLog;
use crate::upstream::shown_connections::ShownConnections;
use crate::upstream::slots::{ConnectionKey, Slot, UpstreamState};
use crate::upstream::start_limiter::StartLimiter;
use hobnob_config::{Places, ServerName};
use hobnob_mcp_client::EraHint;
use hobnob_mcp_engine::{BoxFuture, Caller, ClientId, Principal};
use hobnob_mcp_process::SandboxLevel;
use hobnob_mcp_types::{Era, Revision};
use parking_lot::{Mutex, MutexGuard, RwLock};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The parts of the gateway that every upstream uses.
pub(crate) struct UpstreamContext {
    pub(crate) launcher: RwLock<Launcher>,
    pub(crate) tasks: BackgroundTasks,
    pub(crate) events: Arc<dyn UpstreamEvents>,
    pub(crate) limiter: StartLimiter,
    pub(crate) failures: StartFailures,
    /// The folders that contain the logs of servers.
    pub(crate) places: Places,
    /// Set if a listener shows login pages.
    pub(crate) login_pages: OnceLock<LoginPages>,
}

impl UpstreamContext {
    /// The identity of this hub.
    pub(crate) fn identity(&self) -> Arc<HubIdentity> {
        let launcher = self.launcher.read();
        Arc::clone(&launcher.identity)
    }
}

/// Receives the events of upstreams; must not block, and is not kept alive by upstreams.
pub(crate) trait UpstreamEvents: ResourceEvents {
    /// Stores the upstream's lists on the disk, before they are published.
    fn store_lists(&self, upstream: &Arc<Upstream>) -> BoxFuture<'static, ()>;
    /// The upstream's lists differ from what was known.
    fn on_lists_changed(&self, upstream: &Arc<Upstream>);
    /// A connection of the upstream is up or gone.
    fn on_connection_changed(&self, upstream: &Arc<Upstream>);
}

/// One upstream server of the configuration, running or not.
pub(crate) struct Upstream {
    name: ServerName,
    configured: RwLock<Arc<Configured>>,
    /// A copy of the configured isolation, since every call needs it.
    isolated: AtomicBool,
    pub(super) context: Arc<UpstreamContext>,
    state: Mutex<UpstreamState>,
    pub(super) lists: KnownLists,
    pub(crate) logins: Logins,
    pub(crate) page_logins: PageLogins,
}

impl Upstream {
    pub(crate) fn new(
        configured: Configured,
        context: Arc<UpstreamContext>,
        lists: Option<Lists>,
    ) -> Arc<Self> {
        let store = {
            let launcher = context.launcher.read();
            Arc::clone(&launcher.logins)
        };
        let kind = if configured.is_program() { StartKind::Process } else { StartKind::Connection };
        let failure = context.failures.load(configured.name.as_str(), &configured.identity);
        let health = Health::new(kind);
        let state = Mutex::new(UpstreamState { health, failure, ..UpstreamState::default() });
        Arc::new(Self {
            name: configured.name.clone(),
            isolated: AtomicBool::new(configured.is_isolated()),
            configured: RwLock::new(Arc::new(configured)),
            context,
            state,
            lists: KnownLists::new(lists),
            logins: Logins::new(store),
            page_logins: PageLogins::default(),
        })
    }

    pub(crate) fn name(&self) -> &str {
        self.name.as_str()
    }

    /// The configuration in force.
    pub(crate) fn configured(&self) -> Arc<Configured> {
        Arc::clone(&self.configured.read())
    }

    /// Applies settings that need no new connection; open connections keep theirs until they end.
    pub(crate) fn reconfigure(&self, configured: Configured) {
        self.isolated.store(configured.is_isolated(), Ordering::Relaxed);
        let mut current = self.configured.write();
        *current = Arc::new(configured);
    }

    /// The sandbox level of this machine, if a server has needed it already.
    pub(crate) fn sandbox_level(&self) -> Option<SandboxLevel> {
        let launcher = self.context.launcher.read();
        launcher.sandboxes.known_level()
    }

    /// The log of this server.
    pub(super) fn log(&self) -> ServerLog {
        let identity = self.configured().identity;
        ServerLog::new(self.context.places.server_log(self.name(), &identity), self.name())
    }

    /// Adds a line about the server to its log, in the background.
    pub(super) fn write_log(&self, words: String) {
        let (log, configured) = (self.log(), self.configured());
        self.context.tasks.tracker.spawn_blocking(move || log.note(&configured.conceal(&words)));
    }

    /// Its lists, as far as they are known.
    pub(crate) fn known(&self) -> Known {
        self.lists.get()
    }

    /// Whether its lists are unknown because it has never run.
    pub(crate) fn is_unknown(&self) -> bool {
        self.lists.is_unknown()
    }

    /// Whether clients are offered what its lists say.
    pub(crate) fn is_offered(&self) -> bool {
        self.lists.is_offered()
    }

    /// Whether its tools are unknown: it never ran, or could not list them.
    pub(crate) fn lacks_tools(&self) -> bool {
        self.lists.lacks_tools()
    }

    /// Whether every client gets its own connection.
    pub(super) fn is_isolated(&self) -> bool {
        self.isolated.load(Ordering::Relaxed)
    }

    /// The key of the connection that a caller uses.
    pub(crate) fn key(&self, caller: &Caller) -> ConnectionKey {
        let isolated = self.is_isolated() && caller.client_id != ClientId::OURSELVES;
        let client = isolated.then_some(caller.client_id);
        ConnectionKey { principal: caller.principal.clone(), client }
    }

    /// The error for a caller who has to log in, if that is why the last request failed.
    pub(crate) fn login_needed(&self, key: &ConnectionKey) -> Option<Unavailable> {
        let why = self.logins.needed(&key.principal)?;
        let (name, command) = (self.name(), login_command(self.name(), &key.principal));
        Some(Unavailable(format!(
            "server `{name}` cannot be used yet: {why}; log in with: {command}"
        )))
    }

    /// Whether it can be started and this principal has logged in to it.
    pub(crate) fn has_login(&self, principal: &Principal) -> bool {
        let configured = self.configured();
        let Ok((spec, _)) = &configured.spec else { return false };
        configured.is_startable() && self.logins.is_stored(spec, principal)
    }

    /// Waits until the gateway itself may be logged in, or until it is time to try again.
    pub(crate) async fn wait_for_login(&self) {
        self.logins.wait(&ConnectionKey::ours().principal).await;
    }

    /// The protocol era that the server spoke last time.
    pub(super) fn era(&self) -> EraHint {
        let known = self.known();
        let revision = known.lists.and_then(|lists| Revision::parse(&lists.about.revision));
        match revision.map(Revision::era) {
            Some(Era::Legacy) => EraHint::Legacy,
            Some(Era::Modern) => EraHint::Modern,
            None => EraHint::Unknown,
        }
    }

    /// Records a call answered over this connection, which proves the upstream healthy.
    pub(crate) fn on_answer(&self, running: &Running) {
        if running.record_answer() {
            self.state().health.proved();
        }
    }

    /// Whether a start is under way.
    pub(crate) fn is_starting(&self) -> bool {
        self.state().slots.values().any(|slot| matches!(slot, Slot::Starting(_)))
    }

    /// Whether it must not be started again.
    pub(crate) fn is_retired(&self) -> bool {
        self.state().retired
    }

    /// Returns whether the caller has to start it for its watchers: the first one has to.
    pub(crate) fn begin_waking(&self) -> bool {
        !std::mem::replace(&mut self.state().waking, true)
    }

    pub(crate) fn end_waking(&self) {
        self.state().waking = false;
    }

    /// Sets which of its resources clients watch.
    pub(crate) fn set_watched(&self, uris: BTreeSet<Box<str>>) {
        let mut state = self.state();
        state.watched = uris;
        for slot in state.slots.values() {
            if let Slot::Up(running) = slot {
                running.watch(&state.watched);
            }
        }
    }

    /// Passes the watched resources to a connection that just came up.
    pub(super) fn hand_watched(&self, running: &Running) {
        running.watch(&self.state().watched);
    }

    /// Whether what this principal's connection shows is for that principal only. The gateway's own
    /// connection shows what is for all, unless it uses the login of the person who runs Hobnob.
    pub(crate) fn is_personal(&self, principal: &Principal) -> bool {
        *principal != Principal::anonymous() || self.logins.in_use(principal)
    }

    pub(crate) fn has_watched(&self) -> bool {
        !self.state().watched.is_empty()
    }

    /// The state as the status and the log need it, taken under one lock, for readers who may see
    /// these connections.
    pub(crate) fn summary(&self, shown: &ShownConnections) -> UpstreamSummary {
        let state = self.state();
        let mut summary = UpstreamSummary {
            starting: false,
            running: Vec::new(),
            failures: state.health.failures(),
            resting: state.health.is_resting(),
            last_failure: state.health.last_failure(shown).map(str::to_owned),
            remembered: state.failure.clone().filter(|failure| failure.is_shown(shown)),
            starts: state.starts,
        };
        for (_, slot) in state.slots.iter().filter(|(key, _)| shown.include(&key.principal)) {
            match slot {
                Slot::Starting(_) => summary.starting = true,
                Slot::Up(running) if running.is_usable() => {
                    summary.running.push(Arc::clone(running));
                }
                Slot::Up(_) => {}
            }
        }
        summary
    }

    pub(super) fn state(&self) -> MutexGuard<'_, UpstreamState> {
        self.state.lock()
    }
}

/// The state of an upstream at one moment, as the status needs it.
pub(crate) struct UpstreamSummary {
    pub(crate) starting: bool,
    pub(crate) running: Vec<Arc<Running>>,
    /// The number of failures in a row.
    pub(crate) failures: u32,
    pub(crate) resting: bool,
    pub(crate) last_failure: Option<String>,
    /// The last failed start, in this process or an earlier one.
    pub(crate) remembered: Option<StartFailure>,
    /// How often it was started since Hobnob began.
    pub(crate) starts: u64,
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Upstream({})", self.name())
    }
}
