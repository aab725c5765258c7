//! One start of an upstream, subject to the start limiter, and the record of its outcome.
//!
//! `connections` starts it. All who wait for the start get its outcome, even if it is aborted.

use crate::upstream::configured::Unavailable;
use crate::upstream::failures::StartFailure;
use crate::upstream::health::StartTime;
use crate::upstream::installer::may_download;
use crate::upstream::server::Upstream;
use crate::upstream::slots::{ConnectionKey, Slot, StartOutcome, UpstreamState};
use crate::upstream::start_limiter::Urgency;
use hobnob_mcp_engine::Principal;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::sync::{Notify, watch};

impl Upstream {
    /// Starts the server and sends the outcome to all who wait.
    pub(super) async fn start(
        self: Arc<Self>,
        key: ConnectionKey,
        urgency: Urgency,
        hurry: &Notify,
        waiting: watch::Sender<StartOutcome>,
    ) {
        let launching = async {
            // Measured from the start itself, without the time in the queue.
            let begun = tokio::time::Instant::now();
            (self.launch(&key).await, begun.elapsed())
        };
        let (outcome, took) = match self.configured().is_program() {
            true => self.context.limiter.run(urgency, hurry, launching).await,
            false => launching.await,
        };
        let login = outcome.as_ref().err().and_then(|_| self.login_needed(&key));
        let mut state = self.state();
        match &outcome {
            Ok(running) => {
                match self.missing_tools() {
                    None => self.forget_failure(&mut state),
                    Some(why) => self.remember_failure(&mut state, took, &key.principal, &why),
                }
                if state.slots.contains_key(&key) && !state.retired {
                    state.slots.insert(key, Slot::Up(Arc::clone(running)));
                } else {
                    state.slots.remove(&key);
                    running.stop.cancel();
                }
            }
            Err(_) if login.is_some() => {
                // The server is healthy and others may be logged in, so this is no failed start.
                tracing::info!(server = self.name(), "needs a login");
                state.slots.remove(&key);
                if key == ConnectionKey::ours()
                    && let Some(why) = self.logins.needed(&key.principal)
                {
                    self.remember_failure(&mut state, took, &key.principal, &why);
                }
            }
            Err(why) => {
                tracing::warn!(server = self.name(), %why, "cannot be started");
                self.write_log(format!("cannot be started: {why}"));
                state.slots.remove(&key);
                let owner = &key.principal;
                state.health.failed(Instant::now(), owner, &why.0, fastrand::f64());
                self.remember_failure(&mut state, took, owner, &why.0);
            }
        }
        drop(state);
        waiting.send_replace(Some(outcome.map_err(|why| {
            login.unwrap_or_else(|| {
                Unavailable(format!("server `{}` cannot be started: {}", self.name(), why.0))
            })
        })));
        self.context.events.on_connection_changed(&self);
    }

    /// Stores the failure, so that later starts, in any process, know of it.
    fn remember_failure(
        &self,
        state: &mut UpstreamState,
        took: Duration,
        owner: &Principal,
        why: &str,
    ) {
        // If Hobnob stops before the server has answered, the server did nothing wrong.
        if self.context.tasks.stop.is_cancelled() {
            return;
        }
        let before = state.failure.as_ref();
        let failure = StartFailure::new(before, SystemTime::now(), took, owner, why);
        state.failure = Some(failure.clone());
        let (failures, configured) = (self.context.failures.clone(), self.configured());
        self.context.tasks.tracker.spawn_blocking(move || {
            failures.store(configured.name.as_str(), &configured.identity, &failure);
        });
    }

    /// Why a running server has no tools, if it could not list them. Recorded, so that it is not
    /// started again only to find that out.
    fn missing_tools(&self) -> Option<String> {
        let problem = self.known().problems.into_iter().next().filter(|_| self.lacks_tools())?;
        Some(format!("it runs, but its tools cannot be listed: {problem}"))
    }

    pub(super) fn forget_failure(&self, state: &mut UpstreamState) {
        if state.failure.take().is_none() {
            return;
        }
        let (failures, configured) = (self.context.failures.clone(), self.configured());
        self.context.tasks.tracker.spawn_blocking(move || {
            failures.forget(configured.name.as_str(), &configured.identity);
        });
    }

    /// Whether it failed to start lately, in this process or an earlier one, so that only calls
    /// that name it wait for it.
    pub(crate) fn failed_lately(&self) -> bool {
        self.state().failure.as_ref().is_some_and(|failure| failure.holds(SystemTime::now()))
    }

    /// How long no start is allowed.
    pub(crate) fn start_in(&self) -> Duration {
        match self.state().health.start_time(Instant::now()) {
            StartTime::Now => Duration::ZERO,
            StartTime::Later(wait) | StartTime::AfterRest(wait) => wait,
        }
    }

    /// Whether a start may be downloading the program, judging by the command line.
    pub(crate) fn may_be_downloading(&self) -> bool {
        let configured = self.configured();
        let downloads = configured.spec.as_ref().is_ok_and(|(spec, _)| may_download(&spec.target));
        downloads && self.is_unknown()
    }
}
