//! Hands out connections of an upstream: one that is up, or one started for all waiting callers.
//! Makes each start, subject to the start limiter, and records its outcome.
//!
//! Calls, watches and first starts ask here. Concurrent requests share one start; all of them get
//! its outcome, even if it is aborted. A server that failed a moment ago is not started again by
//! every request.

use crate::upstream::configured::Unavailable;
use crate::upstream::connections::Available;
use crate::upstream::running::Running;
use crate::upstream::server::Upstream;
use crate::upstream::slots::{ConnectionKey, StartOutcome};
use crate::upstream::start_limiter::Urgency;
use crate::upstream::status::Phase;
use std::sync::Arc;
use tokio::sync::{Notify, watch};

impl Upstream {
    /// The connection with this key; starts it if necessary.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        key: &ConnectionKey,
        urgency: Urgency,
    ) -> Result<Arc<Running>, Unavailable> {
        loop {
            let mut starting = match self.connections.find(key, &self.configured())? {
                Available::Now(running) => return Ok(running),
                Available::Starting(starting) => starting,
                Available::Reserved(starting, sender) => {
                    let (upstream, key) = (Arc::clone(self), key.clone());
                    let hurry = Arc::clone(&starting.hurry);
                    let start = async move { upstream.start(key, urgency, &hurry, sender).await };
                    self.context.tasks.tracker.spawn(start);
                    starting
                }
                Available::Later(wait) => {
                    tokio::time::sleep(wait).await;
                    continue;
                }
            };
            if urgency == Urgency::Call {
                starting.hurry.notify_one();
            }
            let ended = starting.outcome.wait_for(Option::is_some).await;
            let outcome = ended.ok().and_then(|outcome| outcome.clone());
            return outcome.unwrap_or_else(|| Err(Unavailable::stopping(self.name())));
        }
    }

    /// Starts the server and sends the outcome to all who wait.
    async fn start(
        self: Arc<Self>,
        key: ConnectionKey,
        urgency: Urgency,
        hurry: &Notify,
        waiting: watch::Sender<StartOutcome>,
    ) {
        let launching = async {
            // Measured from the start itself, without the time in the queue.
            let begun = tokio::time::Instant::now();
            self.context.histories.note(&self.configured(), Phase::Starting, None);
            (self.launch(&key).await, begun.elapsed())
        };
        let (outcome, took) = match self.configured().is_program() {
            true => self.context.limiter.run(urgency, hurry, launching).await,
            false => launching.await,
        };
        let owner = &key.principal;
        let login = outcome.as_ref().err().and_then(|_| self.logins.error(owner));
        let remember = |why: &str| self.failures.remember(self.configured(), took, owner, why);
        match &outcome {
            Ok(running) => {
                match self.lists.missing_tools() {
                    None => self.failures.forget(self.configured()),
                    Some(why) => remember(&why),
                }
                self.connections.started(key, running);
                self.context.histories.note(&self.configured(), Phase::Ready, None);
            }
            Err(_) if login.is_some() => {
                // The server is healthy and others may be logged in, so this is no failed start.
                tracing::info!(server = self.name(), "needs a login");
                self.context.histories.note(&self.configured(), Phase::NeedsLogin, None);
                if key == ConnectionKey::ours()
                    && let Some(why) = self.logins.needed(owner)
                {
                    remember(&why);
                }
                self.connections.not_started(&key, None);
            }
            Err(why) => {
                tracing::warn!(server = self.name(), %why, "cannot be started");
                self.write_log(format!("cannot be started: {why}"));
                self.context.histories.note(&self.configured(), Phase::Failed, Some(&why.0));
                remember(&why.0);
                self.connections.not_started(&key, Some(&why.0));
            }
        }
        waiting.send_replace(Some(outcome.map_err(|why| {
            login.unwrap_or_else(|| {
                Unavailable(format!("server `{}` cannot be started: {}", self.name(), why.0))
            })
        })));
        self.context.events.on_connection_changed(&self);
    }
}
