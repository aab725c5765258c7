//! The connections of one upstream: open or starting, how often their starts failed, and how they
//! end: by themselves, when idle, with their client, or with the upstream.
//!
//! This is the table alone. `find` reserves a slot, and its caller makes the start; to end a connection,
//! the table cancels its token, and the connection's task closes it. A connection is discarded once, by
//! the first to notice. One lock guards the table, and is never held across a wait.

use crate::upstream::configured::{Configured, Unavailable};
use crate::upstream::health::{Health, StartKind, StartTime};
use crate::upstream::oauth_settings::check_owner;
use crate::upstream::running::Running;
use crate::upstream::shown_connections::{FAILED_FOR_ANOTHER, ShownConnections};
use crate::upstream::slots::{ConnectionKey, Slot, StartOutcome, Starting};
use crate::upstream::status::ServerProcess;
use hobnob_mcp_engine::ClientId;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// The most connections at once: each principal may have one.
const MAX_CONNECTIONS: usize = 64;

/// The most connections at once to an isolated server: each client has one.
const MAX_CLIENTS: usize = 16;

/// The longest wait for a failed upstream's next start; a request that would wait longer fails.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// How long a connection must have been idle before it may make room for another one.
const MIN_IDLE: Duration = Duration::from_secs(60);

/// A server counts as hung after this many timeouts in a row.
const MAX_TIMEOUTS: u64 = 3;

/// What a request for a connection finds.
pub(super) enum Available {
    Now(Arc<Running>),
    Starting(Starting),
    /// The caller has to make this start and to send its outcome.
    Reserved(Starting, watch::Sender<StartOutcome>),
    /// No start before this time has passed.
    Later(Duration),
}

/// The connections of one upstream.
pub(crate) struct Connections {
    state: Mutex<ConnectionsState>,
    /// Cancelled when the gateway stops; nothing is started from then on.
    stop: CancellationToken,
}

#[derive(Default)]
struct ConnectionsState {
    slots: HashMap<ConnectionKey, Slot>,
    health: Health,
    starts: u64,
    /// Whether the upstream must not be started again.
    retired: bool,
}

/// The connections at one moment, as the status needs them.
pub(crate) struct ConnectionsSummary {
    pub(crate) starting: bool,
    pub(crate) running: Vec<Arc<Running>>,
    /// The number of failures in a row.
    pub(crate) failures: u32,
    pub(crate) resting: bool,
    pub(crate) last_failure: Option<String>,
    /// How often the upstream was started since Hobnob began.
    pub(crate) starts: u64,
}

impl Connections {
    pub(super) fn new(kind: StartKind, stop: CancellationToken) -> Self {
        let state = ConnectionsState { health: Health::new(kind), ..ConnectionsState::default() };
        Self { state: Mutex::new(state), stop }
    }

    /// The connection with this key; reserves its slot if it has to be started.
    pub(super) fn find(
        &self,
        key: &ConnectionKey,
        configured: &Configured,
    ) -> Result<Available, Unavailable> {
        let mut state = self.state.lock();
        match state.slots.get(key) {
            Some(Slot::Up(running)) if running.is_usable() => {
                // Touched under the lock, so that it cannot count as idle at the same moment.
                running.touch();
                return Ok(Available::Now(Arc::clone(running)));
            }
            Some(Slot::Starting(starting)) => return Ok(Available::Starting(starting.clone())),
            Some(Slot::Up(running)) => {
                let running = Arc::clone(running);
                state.discard(key, &running);
            }
            None => {}
        }
        let name = &configured.name;
        if state.retired || self.stop.is_cancelled() {
            return Err(Unavailable::stopping(name.as_str()));
        }
        configured.check_startable()?;
        if let Ok((spec, _)) = &configured.spec {
            // Checked before any start, since this error does not describe the server's health.
            check_owner(spec, &key.principal)
                .map_err(|why| Unavailable(format!("server `{name}` cannot be used: {why}")))?;
        }
        let limit = if key.client.is_some() { MAX_CLIENTS } else { MAX_CONNECTIONS };
        if state.slots.len() >= limit && !state.end_longest_idle() {
            return Err(Unavailable(format!("server `{name}` has too many connections already")));
        }
        match state.health.start_time(Instant::now()) {
            StartTime::Now => {}
            StartTime::Later(wait) if wait <= MAX_WAIT => return Ok(Available::Later(wait)),
            StartTime::Later(wait) | StartTime::AfterRest(wait) => {
                let shown = ShownConnections::of(&key.principal);
                let why = state.health.last_failure(&shown).unwrap_or(FAILED_FOR_ANOTHER);
                let (count, seconds) = (state.health.failures(), wait.as_secs().max(1));
                return Err(Unavailable(format!(
                    "server `{name}` failed {count} times in a row and is tried again in \
                     {seconds} s: {why}"
                )));
            }
        }
        let (sender, outcome) = watch::channel(None);
        let starting = Starting { outcome, hurry: Arc::default() };
        state.slots.insert(key.clone(), Slot::Starting(starting.clone()));
        state.starts += 1;
        Ok(Available::Reserved(starting, sender))
    }

    /// Puts a connection that is up into its slot; ends it if the slot is gone.
    pub(super) fn started(&self, key: ConnectionKey, running: &Arc<Running>) {
        let mut state = self.state.lock();
        if state.slots.contains_key(&key) && !state.retired {
            state.slots.insert(key, Slot::Up(Arc::clone(running)));
        } else {
            state.slots.remove(&key);
            running.stop.cancel();
        }
    }

    /// Frees the slot of a start without a connection. `failure` counts against the upstream.
    pub(super) fn not_started(&self, key: &ConnectionKey, failure: Option<&str>) {
        let mut state = self.state.lock();
        state.slots.remove(key);
        if let Some(why) = failure {
            state.health.failed(Instant::now(), &key.principal, why, fastrand::f64());
        }
    }

    /// The connection with this key, if it is up.
    pub(crate) fn get(&self, key: &ConnectionKey) -> Option<Arc<Running>> {
        match self.state.lock().slots.get(key) {
            Some(Slot::Up(running)) if running.is_usable() => Some(Arc::clone(running)),
            _ => None,
        }
    }

    /// All connections that are up.
    pub(super) fn all(&self) -> Vec<Arc<Running>> {
        let state = self.state.lock();
        state.slots.values().filter_map(Slot::up).cloned().collect()
    }

    /// Removes a connection that is of no more use. That counts as a failure of the server unless
    /// the gateway itself is ending the connection.
    pub(crate) fn discard(&self, key: &ConnectionKey, running: &Arc<Running>) {
        self.state.lock().discard(key, running);
    }

    /// Ends a connection on the gateway's own account.
    pub(super) fn end(&self, key: &ConnectionKey, running: &Arc<Running>) {
        self.state.lock().end(key, running);
    }

    /// Ends a connection that has been idle for `max_idle`; returns whether it did.
    pub(super) fn end_idle(
        &self,
        key: &ConnectionKey,
        running: &Arc<Running>,
        max_idle: Duration,
    ) -> bool {
        let mut state = self.state.lock();
        let idle = running.idle_for().is_some_and(|idle| idle >= max_idle);
        if idle {
            state.end(key, running);
        }
        idle
    }

    /// Ends the connection of a client that has gone, if it had its own.
    pub(crate) fn end_client(&self, client: ClientId) {
        let mut state = self.state.lock();
        for (key, running) in state.of_client(client) {
            state.end(&key, &running);
        }
        // A start that finishes without its slot is stopped at once.
        state.slots.retain(|key, _| key.client != Some(client));
    }

    /// Notifies the process of one client that the client's roots have changed.
    pub(crate) fn tell_roots_changed(&self, client: ClientId) {
        for (_, running) in self.state.lock().of_client(client) {
            running.remote.roots_changed();
        }
    }

    /// Records a call answered over this connection, which proves the upstream healthy.
    pub(crate) fn on_answer(&self, running: &Running) {
        if running.record_answer() {
            self.state.lock().health.proved();
        }
    }

    /// Records a timeout. A server that no longer answers at all is given up.
    pub(crate) fn on_timeout(&self, key: &ConnectionKey, running: &Arc<Running>) {
        if running.record_timeout() >= MAX_TIMEOUTS {
            let server = running.state.name();
            tracing::warn!(server, "the server answers nothing any more; ending it");
            self.discard(key, running);
        }
    }

    /// Takes all connections out of service, for the caller to stop, and prevents new ones.
    pub(crate) fn retire(&self) -> Vec<Arc<Running>> {
        let mut state = self.state.lock();
        state.retired = true;
        state.take_all()
    }

    /// Ends all connections, which it returns, and forgets failures.
    pub(super) fn end_all(&self) -> Vec<Arc<Running>> {
        let mut state = self.state.lock();
        state.health.proved();
        let ended = state.take_all();
        for running in &ended {
            running.stop.cancel();
        }
        ended
    }

    /// Whether a start is under way.
    pub(crate) fn is_starting(&self) -> bool {
        self.state.lock().slots.values().any(|slot| matches!(slot, Slot::Starting(_)))
    }

    /// Whether the upstream must not be started again.
    pub(crate) fn is_retired(&self) -> bool {
        self.state.lock().retired
    }

    /// How long no start is allowed.
    pub(crate) fn start_in(&self) -> Duration {
        match self.state.lock().health.start_time(Instant::now()) {
            StartTime::Now => Duration::ZERO,
            StartTime::Later(wait) | StartTime::AfterRest(wait) => wait,
        }
    }

    /// The processes of the connections that are up, the oldest first; `name` is the server's.
    pub(crate) fn processes(&self, name: &str) -> Vec<ServerProcess> {
        let state = self.state.lock();
        let usable = state.slots.iter().filter_map(|(key, slot)| {
            let running = slot.up().filter(|running| running.is_usable())?;
            Some(ServerProcess {
                server: name.into(),
                pid: running.pid?,
                principal: key.principal.as_str().into(),
                is_of_one_client: key.client.is_some(),
                uptime_seconds: running.started.elapsed().as_secs(),
                in_flight: running.in_flight(),
            })
        });
        let mut processes: Vec<ServerProcess> = usable.collect();
        processes.sort_by_key(|process| (Reverse(process.uptime_seconds), process.pid));
        processes
    }

    /// The state at this moment, for readers who may see these connections.
    pub(crate) fn summary(&self, shown: &ShownConnections) -> ConnectionsSummary {
        let state = self.state.lock();
        let mut summary = ConnectionsSummary {
            starting: false,
            running: Vec::new(),
            failures: state.health.failures(),
            resting: state.health.is_resting(),
            last_failure: state.health.last_failure(shown).map(str::to_owned),
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
}

impl ConnectionsState {
    fn discard(&mut self, key: &ConnectionKey, running: &Arc<Running>) {
        if !running.discard() {
            return;
        }
        if self.slots.get(key).and_then(Slot::up).is_some_and(|it| Arc::ptr_eq(it, running)) {
            self.slots.remove(key);
        }
        if !running.stop.is_cancelled() {
            let why = running.end_reason();
            tracing::warn!(server = running.state.name(), %why, "the connection ended");
            self.health.failed(Instant::now(), &key.principal, &why, fastrand::f64());
        }
        running.stop.cancel();
    }

    fn end(&mut self, key: &ConnectionKey, running: &Arc<Running>) {
        running.stop.cancel();
        self.discard(key, running);
    }

    /// Ends the connection that is idle longest; returns whether that made room.
    fn end_longest_idle(&mut self) -> bool {
        let idle = |(key, slot): (&ConnectionKey, &Slot)| {
            let running = slot.up()?;
            Some((running.idle_for()?, key.clone(), Arc::clone(running)))
        };
        let longest = self.slots.iter().filter_map(idle).max_by_key(|(idle, ..)| *idle);
        let Some((_, key, running)) = longest.filter(|(idle, ..)| *idle >= MIN_IDLE) else {
            return false;
        };
        self.end(&key, &running);
        true
    }

    /// The connections that are reserved for a client.
    fn of_client(&self, client: ClientId) -> Vec<(ConnectionKey, Arc<Running>)> {
        let its = self.slots.iter().filter(|(key, _)| key.client == Some(client));
        its.filter_map(|(key, slot)| Some((key.clone(), Arc::clone(slot.up()?)))).collect()
    }

    /// Takes all connections out of service. A start that finishes without its slot is stopped.
    fn take_all(&mut self) -> Vec<Arc<Running>> {
        let up: Vec<_> = self.slots.values().filter_map(Slot::up).cloned().collect();
        self.slots.clear();
        for running in &up {
            running.discard();
        }
        up
    }
}
