//! One upstream as the gateway holds it: its configuration, its lists, and at most one connection
//! for each principal, started once however many wait for it.

use crate::upstream::health::{Health, Kind, May};
use crate::upstream::host::Told;
use crate::upstream::launch::Launcher;
use crate::upstream::lists::Lists;
use crate::upstream::running::Running;
use hobnob_config::{Digest, EffectiveServer, Origin, ServerName, ServerSpec, Target};
use mcp_client::EraHint;
use mcp_engine::Principal;
use mcp_types::{Era, Revision};
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Principals that may have a connection of their own at once.
const CONNECTIONS: usize = 64;

/// A failed upstream is waited for that long at most; what takes longer is told at once.
const WORTH_WAITING: Duration = Duration::from_secs(3);

/// Calls in a row without any answer in time that make a server count as hung.
const HUNG: u64 = 3;

/// How long calls on a connection that is replaced may still run, and how often that is looked at.
const DRAIN: Duration = Duration::from_secs(60);
const DRAIN_LOOK: Duration = Duration::from_millis(50);

/// What is known of an upstream from its configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Configured {
    pub(crate) name: ServerName,
    pub(crate) origin: Origin,
    /// Its entry as written.
    pub(crate) digest: Digest,
    pub(crate) spec: Result<(ServerSpec, EffectiveServer), String>,
    pub(crate) gate: Gate,
}

/// Whether it may run at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gate {
    Open,
    Disabled,
    NeedsApproval,
    /// The file that holds the approvals cannot be read: nothing of a project is started.
    ApprovalsBroken(String),
}

/// Why an upstream cannot be used now. The text says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unavailable(pub(crate) String);

/// What every upstream needs of the gateway.
pub(crate) struct Surroundings {
    pub(crate) launcher: RwLock<Launcher>,
    pub(crate) tasks: TaskTracker,
    pub(crate) stop: CancellationToken,
    pub(crate) above: Arc<dyn Above>,
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
    pub(crate) around: Arc<Surroundings>,
    state: Mutex<State>,
    lists: RwLock<Known>,
}

/// What it offers, as far as it is known.
#[derive(Clone, Default)]
pub(crate) struct Known {
    pub(crate) lists: Option<Arc<Lists>>,
    pub(crate) problems: Vec<String>,
}

#[derive(Default)]
struct State {
    slots: HashMap<Principal, Slot>,
    health: Health,
    starts: u64,
    /// It is not to be started any more.
    retired: bool,
    /// The resources somebody watches.
    watched: BTreeSet<Box<str>>,
    /// Somebody is starting it for its watchers already.
    waking: bool,
}

type Outcome = Option<Result<Arc<Running>, Unavailable>>;

enum Slot {
    Starting(watch::Receiver<Outcome>),
    Up(Arc<Running>),
}

impl Upstream {
    pub(crate) fn new(
        configured: Configured,
        around: Arc<Surroundings>,
        lists: Option<Lists>,
    ) -> Arc<Self> {
        let known = Known { lists: lists.map(Arc::new), problems: Vec::new() };
        let kind = match &configured.spec {
            Ok((ServerSpec { target: Target::Url { .. }, .. }, _)) => Kind::Connection,
            _ => Kind::Process,
        };
        let state = Mutex::new(State { health: Health::new(kind), ..State::default() });
        Arc::new(Self {
            name: configured.name.clone(),
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
        let mut current = self.configured.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(configured);
    }

    pub(crate) fn known(&self) -> Known {
        self.lists.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes new lists; whether they differ from what was known.
    pub(crate) fn learn(&self, lists: Lists, problems: Vec<String>) -> bool {
        let mut known = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        known.problems = problems;
        let differs = known.lists.as_deref() != Some(&lists);
        if differs {
            known.lists = Some(Arc::new(lists));
        }
        differs
    }

    /// A connection for this principal, started if need be. Many who ask at once get one start.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        principal: &Principal,
    ) -> Result<Arc<Running>, Unavailable> {
        loop {
            let mut starting = match self.look(principal)? {
                Look::Up(running) => return Ok(running),
                Look::Starting(starting) => starting,
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

    /// The connection of this principal, if it is up.
    pub(crate) fn running(&self, principal: &Principal) -> Option<Arc<Running>> {
        match self.state().slots.get(principal) {
            Some(Slot::Up(running)) if running.is_usable() => Some(Arc::clone(running)),
            _ => None,
        }
    }

    fn look(self: &Arc<Self>, principal: &Principal) -> Result<Look, Unavailable> {
        let mut state = self.state();
        match state.slots.get(principal) {
            Some(Slot::Up(running)) if running.is_usable() => {
                // Under the lock, so that it cannot be found idle in the same moment.
                running.touch();
                return Ok(Look::Up(Arc::clone(running)));
            }
            Some(Slot::Starting(starting)) => return Ok(Look::Starting(starting.clone())),
            Some(Slot::Up(running)) => {
                let running = Arc::clone(running);
                self.bury_locked(&mut state, principal, &running);
            }
            None => {}
        }
        self.check_gate(&state)?;
        if state.slots.len() >= CONNECTIONS {
            let message = format!("server `{}` has too many connections already", self.name());
            return Err(Unavailable(message));
        }
        match state.health.may_start(Instant::now()) {
            May::Start => {}
            May::Wait(wait) if wait <= WORTH_WAITING => return Ok(Look::Later(wait)),
            May::Wait(wait) | May::Rest(wait) => return Err(self.resting(&state, wait)),
        }
        let (sender, receiver) = watch::channel(None);
        state.slots.insert(principal.clone(), Slot::Starting(receiver.clone()));
        state.starts += 1;
        drop(state);
        let (upstream, principal) = (Arc::clone(self), principal.clone());
        self.around.tasks.spawn(async move { upstream.start(principal, sender).await });
        Ok(Look::Starting(receiver))
    }

    fn check_gate(&self, state: &State) -> Result<(), Unavailable> {
        let name = self.name();
        let refused = |why: String| Err(Unavailable(why));
        if state.retired || self.around.stop.is_cancelled() {
            return refused(format!("server `{name}` is stopping"));
        }
        let configured = self.configured();
        match (&configured.gate, &configured.spec) {
            (Gate::Disabled, _) => refused(format!("server `{name}` is disabled")),
            (Gate::NeedsApproval, _) => refused(format!(
                "server `{name}` comes from the project and was never approved; \
                 look at it and approve it with: hobnob approve {name}"
            )),
            (Gate::ApprovalsBroken(why), _) => refused(format!(
                "server `{name}` is not started, because the approvals cannot be read: {why}"
            )),
            (Gate::Open, Err(why)) => refused(format!("server `{name}` is misconfigured: {why}")),
            (Gate::Open, Ok(_)) => Ok(()),
        }
    }

    fn resting(&self, state: &State, wait: Duration) -> Unavailable {
        let why = state.health.last_failure().unwrap_or("it failed");
        let (name, count) = (self.name(), state.health.failures());
        let seconds = wait.as_secs().max(1);
        Unavailable(format!(
            "server `{name}` failed {count} times in a row and is tried again in {seconds} s: {why}"
        ))
    }

    async fn start(self: Arc<Self>, principal: Principal, tell: watch::Sender<Outcome>) {
        let outcome = self.launch(&principal).await;
        let mut state = self.state();
        match &outcome {
            Ok(running) if state.retired => {
                state.slots.remove(&principal);
                running.stop.cancel();
            }
            Ok(running) => {
                state.slots.insert(principal, Slot::Up(Arc::clone(running)));
            }
            Err(why) => {
                tracing::warn!(server = self.name(), %why, "cannot be started");
                state.slots.remove(&principal);
                state.health.failed(Instant::now(), &why.0, fastrand::f64());
            }
        }
        drop(state);
        tell.send_replace(Some(outcome.map_err(|why| {
            Unavailable(format!("server `{}` cannot be started: {}", self.name(), why.0))
        })));
        self.around.above.moved(&self);
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

    /// A connection is of no more use. Counted as a failure if it had never answered anything,
    /// or died by itself.
    pub(crate) fn bury(&self, principal: &Principal, running: &Arc<Running>) {
        self.bury_locked(&mut self.state(), principal, running);
    }

    fn bury_locked(&self, state: &mut State, principal: &Principal, running: &Arc<Running>) {
        if !running.bury() {
            return;
        }
        if let Some(Slot::Up(current)) = state.slots.get(principal)
            && Arc::ptr_eq(current, running)
        {
            state.slots.remove(principal);
        }
        if !running.stop.is_cancelled() {
            let why = running.remote.ended_because();
            let why = why.unwrap_or_else(|| running.hearing.why().into());
            tracing::warn!(server = self.name(), %why, "the connection ended");
            state.health.failed(Instant::now(), &why, fastrand::f64());
        }
        running.stop.cancel();
    }

    /// Ends a connection nobody has used for that long; whether it was so.
    pub(crate) fn retire_idle(
        &self,
        principal: &Principal,
        running: &Arc<Running>,
        longest: Duration,
    ) -> bool {
        let mut state = self.state();
        let idle = running.idle_for().is_some_and(|idle| idle >= longest);
        if idle {
            running.stop.cancel();
            self.bury_locked(&mut state, principal, running);
        }
        idle
    }

    /// A call was not answered in time. A server that answers nothing at all any more is given up.
    pub(crate) fn late(&self, principal: &Principal, running: &Arc<Running>) {
        if running.late() >= HUNG {
            tracing::warn!(server = self.name(), "it answers nothing any more, so it is ended");
            self.bury(principal, running);
        }
    }

    /// A call was answered.
    pub(crate) fn answered(&self, running: &Running) {
        if running.prove() {
            self.state().health.proved();
        }
    }

    /// Ends all connections and starts none any more.
    pub(crate) fn retire(&self) {
        let mut state = self.state();
        state.retired = true;
        for (_, slot) in state.slots.drain() {
            if let Slot::Up(running) = slot {
                running.bury();
                running.stop.cancel();
            }
        }
    }

    /// Ends all connections when the calls on them have ended, and starts none any more.
    pub(crate) fn retire_gently(&self) {
        let mut state = self.state();
        state.retired = true;
        for (_, slot) in state.slots.drain() {
            let Slot::Up(running) = slot else { continue };
            running.bury();
            self.around.tasks.spawn(async move {
                let idle = async {
                    while running.calls() > 0 || running.remote.parked() > 0 {
                        tokio::time::sleep(DRAIN_LOOK).await;
                    }
                };
                let _late = tokio::time::timeout(DRAIN, idle).await;
                running.stop.cancel();
            });
        }
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

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Look {
    Up(Arc<Running>),
    Starting(watch::Receiver<Outcome>),
    Later(Duration),
}

/// The state, as `status` needs it.
pub(crate) struct Summary {
    pub(crate) starting: bool,
    pub(crate) running: Vec<Arc<Running>>,
    pub(crate) failures: u32,
    pub(crate) resting: bool,
    pub(crate) last_failure: Option<String>,
    pub(crate) starts: u64,
}

impl std::fmt::Debug for Upstream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Upstream({})", self.name())
    }
}
