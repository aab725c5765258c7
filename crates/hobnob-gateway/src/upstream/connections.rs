//! Hands out connections of an upstream: one that is up, or one started for all waiting callers.
//!
//! The router and the watches ask here. Concurrent requests share one start, and a server that
//! failed a moment ago is not started again by every request.

use crate::upstream::configured::Unavailable;
use crate::upstream::health::StartTime;
use crate::upstream::oauth_settings::check_owner;
use crate::upstream::running::Running;
use crate::upstream::server::Upstream;
use crate::upstream::shown_connections::{FAILED_FOR_ANOTHER, ShownConnections};
use crate::upstream::slots::{ConnectionKey, Slot, Starting, UpstreamState};
use crate::upstream::start_limiter::Urgency;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// The most connections at once: each principal may have one.
const MAX_CONNECTIONS: usize = 64;

/// The most connections at once to an isolated server: each client has one.
const MAX_CLIENTS: usize = 16;

/// The longest wait for a failed upstream's next start; a request that would wait longer fails.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// What a request for a connection finds.
enum Available {
    Now(Arc<Running>),
    Starting(Starting),
    /// No start before this time has passed.
    Later(Duration),
}

impl Upstream {
    /// The connection with this key; starts it if necessary.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        key: &ConnectionKey,
        urgency: Urgency,
    ) -> Result<Arc<Running>, Unavailable> {
        loop {
            let mut starting = match self.find_or_start(key, urgency)? {
                Available::Now(running) => return Ok(running),
                Available::Starting(starting) => {
                    if urgency == Urgency::Call {
                        starting.hurry.notify_one();
                    }
                    starting.outcome
                }
                Available::Later(wait) => {
                    tokio::time::sleep(wait).await;
                    continue;
                }
            };
            let stopping = || self.stopping();
            let outcome = starting.wait_for(Option::is_some).await.map_err(|_| stopping())?.clone();
            return outcome.unwrap_or_else(|| Err(stopping()));
        }
    }

    /// The connection with this key, if it is up.
    pub(crate) fn running(&self, key: &ConnectionKey) -> Option<Arc<Running>> {
        match self.state().slots.get(key) {
            Some(Slot::Up(running)) if running.is_usable() => Some(Arc::clone(running)),
            _ => None,
        }
    }

    fn find_or_start(
        self: &Arc<Self>,
        key: &ConnectionKey,
        urgency: Urgency,
    ) -> Result<Available, Unavailable> {
        let mut state = self.state();
        match state.slots.get(key) {
            Some(Slot::Up(running)) if running.is_usable() => {
                // Touched under the lock, so that it cannot count as idle at the same moment.
                running.touch();
                return Ok(Available::Now(Arc::clone(running)));
            }
            Some(Slot::Starting(starting)) => return Ok(Available::Starting(starting.clone())),
            Some(Slot::Up(running)) => {
                let running = Arc::clone(running);
                self.discard_locked(&mut state, key, &running);
            }
            None => {}
        }
        if state.retired || self.context.tasks.stop.is_cancelled() {
            return Err(self.stopping());
        }
        let configured = self.configured();
        configured.check_startable()?;
        if let Ok((spec, _)) = &configured.spec {
            // Checked before any start, since this error does not describe the server's health.
            check_owner(spec, &key.principal).map_err(|why| {
                Unavailable(format!("server `{}` cannot be used: {why}", self.name()))
            })?;
        }
        let limit = if key.client.is_some() { MAX_CLIENTS } else { MAX_CONNECTIONS };
        if state.slots.len() >= limit && !self.end_longest_idle(&mut state) {
            let message = format!("server `{}` has too many connections already", self.name());
            return Err(Unavailable(message));
        }
        match state.health.start_time(Instant::now()) {
            StartTime::Now => {}
            StartTime::Later(wait) if wait <= MAX_WAIT => return Ok(Available::Later(wait)),
            StartTime::Later(wait) | StartTime::AfterRest(wait) => {
                return Err(self.resting(&state, key, wait));
            }
        }
        let (sender, outcome) = watch::channel(None);
        let starting = Starting { outcome, hurry: Arc::default() };
        state.slots.insert(key.clone(), Slot::Starting(starting.clone()));
        state.starts += 1;
        drop(state);
        let (upstream, key) = (Arc::clone(self), key.clone());
        let hurry = Arc::clone(&starting.hurry);
        self.context
            .tasks
            .tracker
            .spawn(async move { upstream.start(key, urgency, &hurry, sender).await });
        Ok(Available::Starting(starting))
    }

    fn stopping(&self) -> Unavailable {
        Unavailable(format!("server `{}` is stopping", self.name()))
    }

    fn resting(&self, state: &UpstreamState, key: &ConnectionKey, wait: Duration) -> Unavailable {
        let shown = ShownConnections::of(&key.principal);
        let why = state.health.last_failure(&shown).unwrap_or(FAILED_FOR_ANOTHER);
        let (name, count) = (self.name(), state.health.failures());
        let seconds = wait.as_secs().max(1);
        Unavailable(format!(
            "server `{name}` failed {count} times in a row and is tried again in {seconds} s: {why}"
        ))
    }
}
