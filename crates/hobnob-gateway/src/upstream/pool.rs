//! One upstream as the gateway holds it: its configuration, its lists, and at most one connection
//! for each principal, started once however many wait for it.

use crate::identity::HubIdentity;
pub(crate) use crate::upstream::configured::{Configured, Gate, Unavailable};
use crate::upstream::failures::{StartFailure, StartFailures};
use crate::upstream::health::{Health, Kind, May};
use crate::upstream::host::Told;
use crate::upstream::launch::Launcher;
use crate::upstream::lists::{Lists, Reading};
use crate::upstream::running::Running;
pub(crate) use crate::upstream::slots::ConnectionKey;
use crate::upstream::slots::{Slot, Starting, State};
use crate::upstream::starts::{StartPlaces, Urgency};
use hobnob_config::ServerName;
use hobnob_mcp_client::EraHint;
use hobnob_mcp_engine::{Caller, ClientId};
use hobnob_mcp_types::{Era, Revision};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Principals that may have a connection of their own at once.
const CONNECTIONS: usize = 64;

/// Clients that may have a process of their own at once, where a server is isolated.
const CLIENTS: usize = 16;

/// A failed upstream is waited for that long at most; what takes longer is told at once.
const WORTH_WAITING: Duration = Duration::from_secs(3);

/// What every upstream needs of the gateway.
pub(crate) struct Surroundings {
    pub(crate) launcher: RwLock<Launcher>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
    pub(crate) above: Arc<dyn Above>,
    pub(crate) places: StartPlaces,
    pub(crate) failures: StartFailures,
}

impl Surroundings {
    /// Which hub this is.
    pub(crate) fn identity(&self) -> Arc<HubIdentity> {
        let launcher = self.launcher.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&launcher.identity)
    }
}

/// Who hears what upstreams tell; never waits, and does not live because of them.
pub(crate) trait Above: Send + Sync {
    /// Something was said about a server's resource.
    fn told(&self, server: &str, told: Told<'_>);
    /// New lists came in.
    fn listed(&self, upstream: &Arc<Upstream>);
    /// Somebody's connection is up or gone.
    fn moved(&self, upstream: &Arc<Upstream>);
}

/// One upstream.
pub(crate) struct Upstream {
    name: ServerName,
    configured: RwLock<Arc<Configured>>,
    /// As configured; here because every call asks.
    isolated: AtomicBool,
    pub(crate) around: Arc<Surroundings>,
    state: Mutex<State>,
    lists: RwLock<Known>,
}

/// What it offers, as far as it is known.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub(crate) lists: Option<Arc<Lists>>,
    pub(crate) problems: Vec<String>,
    /// Whether its tools could not be listed.
    tools_failed: bool,
}

impl Upstream {
    pub(crate) fn new(
        configured: Configured,
        around: Arc<Surroundings>,
        lists: Option<Lists>,
    ) -> Arc<Self> {
        let known = Known { lists: lists.map(Arc::new), ..Known::default() };
        let kind = if configured.is_program() { Kind::Process } else { Kind::Connection };
        let failure = around.failures.load(configured.name.as_str(), &configured.identity);
        let state = Mutex::new(State { health: Health::new(kind), failure, ..State::default() });
        Arc::new(Self {
            name: configured.name.clone(),
            isolated: AtomicBool::new(configured.is_isolated()),
            configured: RwLock::new(Arc::new(configured)),
            around,
            state,
            lists: RwLock::new(known),
        })
    }

    pub(crate) fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Its configuration as it is now.
    pub(crate) fn configured(&self) -> Arc<Configured> {
        Arc::clone(&self.configured.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Other settings, which need no new connection; what runs keeps its own until it ends.
    pub(crate) fn reconfigure(&self, configured: Configured) {
        self.isolated.store(configured.is_isolated(), Ordering::Relaxed);
        let mut current = self.configured.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(configured);
    }

    pub(crate) fn known(&self) -> Known {
        self.lists.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether nothing is known of what it offers.
    pub(crate) fn is_unknown(&self) -> bool {
        self.lists.read().unwrap_or_else(PoisonError::into_inner).lists.is_none()
    }

    /// Whether it is not known which tools it has: it never ran, or could not list them.
    pub(crate) fn lacks_tools(&self) -> bool {
        let known = self.lists.read().unwrap_or_else(PoisonError::into_inner);
        let none = |lists: &Arc<Lists>| known.tools_failed && lists.tools.is_empty();
        known.lists.as_ref().is_none_or(none)
    }

    /// Takes new lists; whether they differ from what was known, or are whole for the first time.
    pub(crate) fn learn(&self, reading: Reading) -> bool {
        let Reading { lists, problems, tools_failed, .. } = reading;
        let mut known = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        let mended = problems.is_empty() && !known.problems.is_empty();
        known.problems = problems;
        known.tools_failed = tools_failed;
        let differs = mended || known.lists.as_deref() != Some(&lists);
        if differs {
            known.lists = Some(Arc::new(lists));
        }
        differs
    }

    /// Whether every client has a connection of its own.
    pub(super) fn is_isolated(&self) -> bool {
        self.isolated.load(Ordering::Relaxed)
    }

    /// Whose connection a caller uses.
    pub(crate) fn key(&self, caller: &Caller) -> ConnectionKey {
        let isolated =
            self.isolated.load(Ordering::Relaxed) && caller.client_id != ClientId::OURSELVES;
        let client = isolated.then_some(caller.client_id);
        ConnectionKey { principal: caller.principal.clone(), client }
    }

    /// A connection with this key, started if need be. Many who ask at once get one start.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        key: &ConnectionKey,
        urgency: Urgency,
    ) -> Result<Arc<Running>, Unavailable> {
        loop {
            let mut starting = match self.look(key, urgency)? {
                Look::Up(running) => return Ok(running),
                Look::Starting(starting) => {
                    if urgency == Urgency::Call {
                        starting.hurry.notify_one();
                    }
                    starting.outcome
                }
                Look::Later(wait) => {
                    tokio::time::sleep(wait).await;
                    continue;
                }
            };
            let gone = || Unavailable(format!("server `{}` is stopping", self.name()));
            let outcome = starting.wait_for(Option::is_some).await.map_err(|_| gone())?.clone();
            return outcome.unwrap_or_else(|| Err(gone()));
        }
    }

    /// The connection with this key, if it is up.
    pub(crate) fn running(&self, key: &ConnectionKey) -> Option<Arc<Running>> {
        match self.state().slots.get(key) {
            Some(Slot::Up(running)) if running.is_usable() => Some(Arc::clone(running)),
            _ => None,
        }
    }

    fn look(self: &Arc<Self>, key: &ConnectionKey, urgency: Urgency) -> Result<Look, Unavailable> {
        let mut state = self.state();
        match state.slots.get(key) {
            Some(Slot::Up(running)) if running.is_usable() => {
                // Under the lock, so that it cannot be found idle in the same moment.
                running.touch();
                return Ok(Look::Up(Arc::clone(running)));
            }
            Some(Slot::Starting(starting)) => return Ok(Look::Starting(starting.clone())),
            Some(Slot::Up(running)) => {
                let running = Arc::clone(running);
                self.bury_locked(&mut state, key, &running);
            }
            None => {}
        }
        if state.retired || self.around.stop.is_cancelled() {
            return Err(Unavailable(format!("server `{}` is stopping", self.name())));
        }
        self.configured().check_startable()?;
        let limit = if key.client.is_some() { CLIENTS } else { CONNECTIONS };
        if state.slots.len() >= limit && !self.end_longest_idle(&mut state) {
            let message = format!("server `{}` has too many connections already", self.name());
            return Err(Unavailable(message));
        }
        match state.health.may_start(Instant::now()) {
            May::Start => {}
            May::Wait(wait) if wait <= WORTH_WAITING => return Ok(Look::Later(wait)),
            May::Wait(wait) | May::Rest(wait) => return Err(self.resting(&state, wait)),
        }
        let (sender, outcome) = watch::channel(None);
        let starting = Starting { outcome, hurry: Arc::default() };
        state.slots.insert(key.clone(), Slot::Starting(starting.clone()));
        state.starts += 1;
        drop(state);
        let (upstream, key) = (Arc::clone(self), key.clone());
        let hurry = Arc::clone(&starting.hurry);
        self.around.tasks.spawn(async move { upstream.start(key, urgency, &hurry, sender).await });
        Ok(Look::Starting(starting))
    }

    fn resting(&self, state: &State, wait: Duration) -> Unavailable {
        let why = state.health.last_failure().unwrap_or("it failed");
        let (name, count) = (self.name(), state.health.failures());
        let seconds = wait.as_secs().max(1);
        Unavailable(format!(
            "server `{name}` failed {count} times in a row and is tried again in {seconds} s: {why}"
        ))
    }

    /// Which era it spoke last time.
    pub(crate) fn era(&self) -> EraHint {
        let known = self.known();
        let revision = known.lists.and_then(|lists| Revision::parse(&lists.about.revision));
        match revision.map(Revision::era) {
            Some(Era::Legacy) => EraHint::Legacy,
            Some(Era::Modern) => EraHint::Modern,
            None => EraHint::Unknown,
        }
    }

    /// A call was answered.
    pub(crate) fn answered(&self, running: &Running) {
        if running.prove() {
            self.state().health.proved();
        }
    }

    /// Whether a start is under way.
    pub(crate) fn is_starting(&self) -> bool {
        self.state().slots.values().any(|slot| matches!(slot, Slot::Starting(_)))
    }

    /// Whether it is not to be started any more.
    pub(crate) fn is_retired(&self) -> bool {
        self.state().retired
    }

    /// Whether whoever asks is the one to start it for its watchers.
    pub(crate) fn begin_waking(&self) -> bool {
        !std::mem::replace(&mut self.state().waking, true)
    }

    pub(crate) fn end_waking(&self) {
        self.state().waking = false;
    }

    /// Which of its resources somebody watches from now on.
    pub(crate) fn set_watched(&self, uris: BTreeSet<Box<str>>) {
        let mut state = self.state();
        state.watched = uris;
        for slot in state.slots.values() {
            if let Slot::Up(running) = slot {
                running.keep_awake(!state.watched.is_empty());
                running.remote.watch(state.watched.clone());
            }
        }
    }

    /// The same for a connection that just came up.
    pub(crate) fn hand_watched(&self, running: &Running) {
        let state = self.state();
        running.keep_awake(!state.watched.is_empty());
        running.remote.watch(state.watched.clone());
    }

    pub(crate) fn has_watched(&self) -> bool {
        !self.state().watched.is_empty()
    }

    /// What `status` needs of the state, under one lock.
    pub(crate) fn summary(&self) -> Summary {
        let state = self.state();
        let mut summary = Summary {
            starting: false,
            running: Vec::new(),
            failures: state.health.failures(),
            resting: state.health.is_resting(),
            last_failure: state.health.last_failure().map(str::to_owned),
            remembered: state.failure.clone(),
            starts: state.starts,
        };
        for slot in state.slots.values() {
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

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Look {
    Up(Arc<Running>),
    Starting(Starting),
    Later(Duration),
}

/// The state, as `status` needs it.
pub(crate) struct Summary {
    pub(crate) starting: bool,
    pub(crate) running: Vec<Arc<Running>>,
    pub(crate) failures: u32,
    pub(crate) resting: bool,
    pub(crate) last_failure: Option<String>,
    /// The last start that failed, in this process or in one before it.
    pub(crate) remembered: Option<StartFailure>,
    pub(crate) starts: u64,
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Upstream({})", self.name())
    }
}
