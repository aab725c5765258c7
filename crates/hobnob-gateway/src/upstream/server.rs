//! One upstream as the gateway holds it: its name and configuration, and the parts that keep the
//! rest: its connections, its failed starts, its lists and its logins.
//!
//! `life`, `start`, `restart` and `log_in` act on all of them; others use one part.

use crate::background::BackgroundTasks;
use crate::upstream::configured::{Configured, Gate};
use crate::upstream::connection_state::ResourceEvents;
use crate::upstream::connections::Connections;
use crate::upstream::failures::{FailureMemory, StartFailures};
use crate::upstream::health::StartKind;
use crate::upstream::history::ServerHistories;
use crate::upstream::installer::may_download;
use crate::upstream::known_lists::KnownLists;
use crate::upstream::launch::Launcher;
use crate::upstream::lists::Lists;
use crate::upstream::login_pages::LoginPages;
use crate::upstream::logins::Logins;
use crate::upstream::observed_connection::{ConnectionEnd, ObservedConnection};
use crate::upstream::running::Running;
use crate::upstream::server_log::ServerLog;
use crate::upstream::slots::ConnectionKey;
use crate::upstream::start_limiter::StartLimiter;
use crate::upstream::status::Phase;
use hobnob_config::{Places, ServerName};
use hobnob_mcp_engine::{BoxFuture, Caller, ClientId};
use hobnob_mcp_process::SandboxLevel;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

/// The parts of the gateway that every upstream uses.
pub(crate) struct UpstreamContext {
    pub(crate) launcher: RwLock<Launcher>,
    pub(crate) tasks: BackgroundTasks,
    pub(crate) events: Arc<dyn UpstreamEvents>,
    pub(crate) limiter: StartLimiter,
    pub(crate) failures: StartFailures,
    pub(crate) histories: Arc<ServerHistories>,
    /// The folders that contain the logs of servers.
    pub(crate) places: Places,
    /// Set if a listener shows login pages.
    pub(crate) login_pages: OnceLock<LoginPages>,
}

/// Receives the events of upstreams; must not block, and is not kept alive by upstreams.
pub(crate) trait UpstreamEvents: ResourceEvents {
    /// Stores the upstream's lists on the disk, before they are published.
    fn store_lists(&self, upstream: &Arc<Upstream>) -> BoxFuture<'static, ()>;
    /// The upstream's lists differ from what was known.
    fn on_lists_changed(&self, upstream: &Arc<Upstream>);
    /// A connection of the upstream is up or gone.
    fn on_connection_changed(&self, upstream: &Arc<Upstream>);
    /// A connection is up.
    fn on_connected(&self, connection: &ObservedConnection);
    /// A connection has ended.
    fn on_disconnected(&self, connection: &ObservedConnection, end: ConnectionEnd);
}

/// One upstream server of the configuration, running or not.
pub(crate) struct Upstream {
    name: ServerName,
    configured: RwLock<Arc<Configured>>,
    pub(super) context: Arc<UpstreamContext>,
    pub(crate) connections: Connections,
    pub(crate) failures: FailureMemory,
    pub(crate) lists: KnownLists,
    pub(crate) logins: Logins,
    /// The resources that clients watch.
    pub(super) watched: Mutex<BTreeSet<Box<str>>>,
    /// Whether it is being started for its watchers already.
    pub(crate) waking: AtomicBool,
}

impl Upstream {
    pub(crate) fn new(
        configured: Configured,
        context: Arc<UpstreamContext>,
        lists: Option<Lists>,
    ) -> Arc<Self> {
        let grants = Arc::clone(&context.launcher.read().logins);
        let kind = if configured.is_program() { StartKind::Process } else { StartKind::Connection };
        let (tasks, failures) = (context.tasks.clone(), context.failures.clone());
        note_gate(&context.histories, &configured);
        Arc::new(Self {
            name: configured.name.clone(),
            connections: Connections::new(kind, tasks.stop.clone()),
            failures: FailureMemory::new(failures, tasks, &configured),
            lists: KnownLists::new(lists),
            logins: Logins::new(configured.name.clone(), grants),
            watched: Mutex::default(),
            waking: AtomicBool::new(false),
            configured: RwLock::new(Arc::new(configured)),
            context,
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
        *self.configured.write() = Arc::new(configured);
    }

    /// The sandbox level of this machine, if a server has needed it already.
    pub(crate) fn sandbox_level(&self) -> Option<SandboxLevel> {
        self.context.launcher.read().sandboxes.known_level()
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

    /// Whether a start may be downloading the program, judging by the command line.
    pub(crate) fn may_be_downloading(&self) -> bool {
        let configured = self.configured();
        let downloads = configured.spec.as_ref().is_ok_and(|(spec, _)| may_download(&spec.target));
        downloads && self.lists.is_unknown()
    }

    /// The key of the connection that a caller uses.
    pub(crate) fn key(&self, caller: &Caller) -> ConnectionKey {
        let isolated =
            caller.client_id != ClientId::OURSELVES && self.configured.read().is_isolated();
        let client = isolated.then_some(caller.client_id);
        ConnectionKey { principal: caller.principal.clone(), client }
    }

    /// Ends the gateway's own connection to a server with one connection per client.
    pub(crate) fn end_if_reserved(&self, key: &ConnectionKey, running: &Arc<Running>) {
        if self.configured().is_isolated() {
            self.connections.end(key, running);
        }
    }

    /// Sets which of its resources clients watch.
    pub(crate) fn set_watched(&self, uris: BTreeSet<Box<str>>) {
        let mut watched = self.watched.lock();
        *watched = uris;
        for running in self.connections.all() {
            running.watch(&watched);
        }
    }

    pub(crate) fn has_watched(&self) -> bool {
        !self.watched.lock().is_empty()
    }
}

/// Adds whether the server may run to its history. How it runs, its connections add.
fn note_gate(histories: &ServerHistories, configured: &Configured) {
    let phase = match &configured.gate {
        Gate::Disabled => Phase::Disabled,
        Gate::Ourselves => Phase::Refused,
        Gate::NeedsApproval | Gate::ApprovalsBroken(_) => Phase::NeedsApproval,
        Gate::Open if configured.spec.is_err() => Phase::Misconfigured,
        Gate::Open => Phase::Sleeping,
    };
    let why = configured.spec.as_ref().err().filter(|_| phase == Phase::Misconfigured);
    histories.add(configured.name.as_str(), phase, why.map(String::as_str));
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Upstream({})", self.name())
    }
}
